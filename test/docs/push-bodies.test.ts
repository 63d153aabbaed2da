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
import { type Message, templateBot } from '#evals/suite/norms/template-bot/template-bot.ts';
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
  const messages: Message[] = ['one', 'two'].map((content) => ({ role: 'user', content }));
  const body = typeof hub.ask === 'function' ? {} : hub.ask.body({ model: null, messages });
  expect(body).toEqual({ prompt: 'two', messages });
  expect(hubProtocol).toContain(`{${Object.keys(body).join(', ')}}`);
});

test('an agent that reads only the prompt loses as many points as described', () => {
  const [, described] = /about (\d+) of 100 points/.exec(hubProtocol) ?? [];
  expect(Math.abs(pointsLost() - Number(described))).toBeLessThan(3);
});

const seeds = ['1', '2', '3', '4'].map((digit) => digit.repeat(32));

/** Of 100 points on an even ladder. Tasks of one turn lose none. */
function pointsLost(): number {
  return ladderCategories.reduce((sum, { name, weight }) => {
    const kinds = categories.find((category) => category.name === name)?.kinds ?? [];
    const losses = kinds.flatMap((kind) =>
      ladderLevels.flatMap((level) =>
        seeds.map((seed) => {
          const task = kind.make(createRandom(seed, `${kind.name}/${level}`), level, {
            maxPromptTokens: 8_000,
          });
          if (task.turns.length === 1) return 0;
          return (
            scoreOnTask(task, (messages) => messages) - scoreOnTask(task, (messages) => messages.slice(-1))
          );
        }),
      ),
    );
    return sum + (weight * losses.reduce((total, loss) => total + loss, 0)) / losses.length;
  }, 0);
}

/** @param read which of the messages the agent reads */
function scoreOnTask(task: Task, read: (messages: readonly Message[]) => readonly Message[]): number {
  const messages: Message[] = [];
  for (const content of task.turns) {
    messages.push({ role: 'user', content });
    messages.push({ role: 'assistant', content: templateBot(read(messages)) });
  }
  return task.grade(messages.filter(({ role }) => role === 'assistant').map(({ content }) => content)).score;
}
