/** What the hub posts to a target has one description everywhere, with what it costs to ignore a part of it. */
import { expect, test } from 'bun:test';
import { join } from 'node:path';
import { h } from 'preact';
import { renderToString } from 'preact-render-to-string';
import { skillPage } from '#api/discovery/skill-page.ts';
import { describeEndpoints } from '#api/openapi/document.ts';
import { hubEndpoints } from '#api/routes/index.ts';
import { categories } from '#evals/suite/index.ts';
import { ladderCategories, ladderLevels } from '#evals/suite/ladder/ladder.ts';
import { createRandom } from '#evals/suite/random.ts';
import type { Task } from '#evals/suite/task.ts';
import { hub, hubProtocol } from '#domain/targets/protocols/hub.ts';
import { projectFolder } from '#runtime/project-files.ts';
import { StartRun } from '#site/parts/start-run.tsx';

const plain = (text: string): string => text.replaceAll('`', '').replaceAll(/\s+/g, ' ');

test('the guide, the API reference and the site describe the body in the same words', async () => {
  const guide = await Bun.file(join(projectFolder, 'docs', 'evaluation.md')).text();
  const [, ...sentences] = plain(hubProtocol).split(/(?<=\.) /);
  expect(plain(skillPage('https://hub.example'))).toContain(plain(hubProtocol));
  const document = describeEndpoints(hubEndpoints, { baseUrl: 'https://hub.example', version: '0' });
  expect(plain(JSON.stringify(document))).toContain(plain(hubProtocol));
  expect(plain(renderToString(h(StartRun, { cost: 1 })))).toContain(plain(hubProtocol));
  for (const sentence of sentences) {
    const [, same = sentence] =
      /^messages is the whole conversation, as \{role, content\}; (.*)/.exec(sentence) ?? [];
    expect(plain(guide)).toContain(same);
  }
});

test('the body has the fields that the description names', () => {
  const messages = ['one', 'two'].map((content) => ({ role: 'user' as const, content }));
  const body = typeof hub.ask === 'function' ? {} : hub.ask.body({ model: null, messages });
  expect(body).toEqual({ prompt: 'two', messages });
  expect(hubProtocol).toContain(`{${Object.keys(body).join(', ')}}`);
});

test('an agent that reads only the prompt loses as many points as described', () => {
  const [, described] = /about (\d+) of 100 points/.exec(hubProtocol) ?? [];
  expect(Math.abs(pointsLost() - Number(described))).toBeLessThan(3);
});

const seeds = ['1', '2', '3', '4'].map((digit) => digit.repeat(32));

/** Of 100 points on an even ladder, for an agent that is right wherever it can be. */
function pointsLost(): number {
  return ladderCategories.reduce((sum, { name, weight }) => {
    const kinds = categories.find((category) => category.name === name)?.kinds ?? [];
    const losses = kinds.flatMap((kind) =>
      ladderLevels.flatMap((level) =>
        seeds.map((seed) =>
          lossOn(
            kind.make(createRandom(seed, `${kind.name}/${level}`), level, {
              maxPromptTokens: 8_000,
            }),
          ),
        ),
      ),
    );
    return sum + (weight * losses.reduce((total, loss) => total + loss, 0)) / losses.length;
  }, 0);
}

/** Later turns depend on the first one, so nothing right can be said to them without it. */
function lossOn(task: Task): number {
  const [right = []] = task.accepted;
  return 1 - task.grade(right.map((reply, turn) => (turn === 0 ? reply : ''))).score;
}
