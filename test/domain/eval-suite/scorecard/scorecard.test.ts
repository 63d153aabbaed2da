import { describe, expect, test } from 'bun:test';
import { assert, integer, property, string } from 'fast-check';
import { Errors } from 'typebox/schema';
import {
  categories,
  generateCases,
  renderScorecard,
  scoreJsonSchema,
  scorecardStyle,
  suiteCaseCount,
} from '#domain/eval-suite/index.ts';
import type { CaseResult, Check, RunSummary } from '#domain/eval-suite/index.ts';
import { escapeHtml, escapeMarkdown, fenced } from '#domain/eval-suite/scorecard/safe-text.ts';
import { answerAll } from '../answering.ts';

const seed = '0123456789abcdef0123456789abcdef';

function runOf(results: readonly CaseResult[], changes: Partial<RunSummary> = {}): RunSummary {
  return {
    job_id: '0198c0de-0000-7000-8000-000000000000',
    suite: { name: 'eval-run', version: '1', seed },
    target_url: 'http://127.0.0.1:9000/agent?a=1&b=2',
    started_at: '2031-01-01T10:00:00.000Z',
    finished_at: '2031-01-01T10:00:12.345Z',
    results,
    ...changes,
  };
}

const mixed = answerAll(generateCases(seed), ({ index, expected }) =>
  index % 9 === 8 ? null : index % 4 === 3 ? `Sure:\n${expected}` : expected,
);

/**
 * Everything a browser would parse from the page: element names, attribute names, and the text of the
 * elements.
 */
async function takeApart(html: string) {
  const elements = new Set<string>();
  const attributes = new Set<string>();
  const links: string[] = [];
  const rewriter = new HTMLRewriter().on('*', {
    element(element) {
      elements.add(element.tagName);
      for (const [name, value] of element.attributes) {
        attributes.add(name);
        if (/^(?:href|src|xlink:href|action|data)$/.test(name)) links.push(value);
      }
    },
  });
  await rewriter.transform(new Response(html)).text();
  return { elements, attributes, links };
}

const known = {
  elements: new Set(
    'html head meta title style body main section h1 h2 h3 h4 p dl dt dd div span strong b small br a table thead tbody tr th td svg rect line text details summary pre ul li fieldset legend label input'.split(
      ' ',
    ),
  ),
  attributes: new Set(
    'lang charset name content class role aria-label title href id type checked x x1 x2 y y1 y2 width height rx text-anchor'.split(
      ' ',
    ),
  ),
};

const hostile = [
  '<script>alert(1)</script>',
  '</pre><img src=x onerror=alert(1)>',
  '"><svg onload=alert(1)>',
  "' onmouseover='alert(1)",
  '</style><style>*{display:none}',
  '<!-- ',
  ']]>',
  '&lt;script&gt;',
  '\u202eevil\u202c',
  '\u001b[2J',
  '```\n# heading\n```',
  '| a | b |\n[x](javascript:alert(1))',
  '\ud800',
  '\u0000',
];

describe('renderScorecard', () => {
  test('returns the same bytes for the same run', () => {
    expect(renderScorecard(runOf(mixed))).toEqual(renderScorecard(runOf(mixed)));
  });

  test('returns JSON that matches its schema', () => {
    for (const results of [mixed, [], mixed.slice(0, 3)]) {
      const { score_json } = renderScorecard(runOf(results));
      expect(Errors(scoreJsonSchema, JSON.parse(JSON.stringify(score_json)))[1]).toEqual([]);
    }
  });

  test('shows the same score in all three formats', () => {
    const { score_json, score_md, score_html } = renderScorecard(runOf(mixed));
    const shown = score_json.score.toFixed(1);
    expect(score_json.score).toBeGreaterThan(50);
    expect(score_md).toStartWith(`# Eval run: ${shown} of 100\n`);
    expect(score_html).toContain(`<strong>${shown}</strong>`);
  });

  test('derives kind and difficulty from the seed, and omits them for cases that do not match it', () => {
    const cases = generateCases(seed);
    const { score_json } = renderScorecard(runOf(mixed));
    expect(score_json.results.map(({ kind, difficulty }) => [kind, difficulty])).toEqual(
      cases.map(({ kind, difficulty }) => [kind, difficulty]),
    );
    expect(score_json.difficulties.reduce((sum, level) => sum + level.cases, 0)).toBe(suiteCaseCount);
    const other = renderScorecard(
      runOf(mixed, { suite: { name: 'eval-run', version: '1', seed: 'f'.repeat(32) } }),
    );
    const foreign = renderScorecard(runOf(mixed, { suite: { name: 'eval-run', version: '0', seed } }));
    const broken = renderScorecard(runOf(mixed, { suite: { name: 'eval-run', version: '1', seed: 'x' } }));
    for (const { score_json: json } of [other, foreign, broken]) expect(json.difficulties).toEqual([]);
  });

  test('lists cases in the order of the run', () => {
    expect(renderScorecard(runOf(mixed.toReversed()))).toEqual(renderScorecard(runOf(mixed)));
  });

  test('lists errors separately, with their code', () => {
    const { score_md, score_html, score_json } = renderScorecard(runOf(mixed));
    expect(score_json.errors).toBe(4);
    expect(score_json.error_rate).toBeCloseTo(400 / suiteCaseCount, 1);
    expect(score_md).toContain('4 in error (each scored 0)');
    expect(score_md).toContain('No reply after 3 attempts: target\\_timeout.');
    expect(score_html).toContain('No reply: target_timeout.');
  });

  test.each([
    ['no case', []],
    ['only errors', answerAll(generateCases(seed), () => null)],
    ['empty replies', answerAll(generateCases(seed), () => '')],
    ['everything right', answerAll(generateCases(seed), ({ expected }) => expected)],
  ] as const)('renders a page for a run with %s', async (_name, results) => {
    const { score_html, score_md } = renderScorecard(runOf(results));
    expect(score_html + score_md).not.toMatch(/undefined|NaN|Infinity|\[object/);
    const page = await takeApart(score_html);
    expect(page.elements.difference(known.elements).size).toBe(0);
  });
});

describe('the HTML scorecard', () => {
  test('contains one style element, with exactly the exported text, and nothing that a strict CSP would block', async () => {
    const { score_html } = renderScorecard(runOf(mixed));
    expect(score_html.split('<style>')).toHaveLength(2);
    expect(score_html.split('<style>')[1]?.split('</style>')[0]).toBe(scorecardStyle);
    const page = await takeApart(score_html);
    expect([...page.elements.difference(known.elements)]).toEqual([]);
    expect(
      [...page.attributes].map((name) => name.toLowerCase()).filter((name) => !known.attributes.has(name)),
    ).toEqual([]);
    expect(page.links.filter((link) => !/^#case-\d+$/.test(link))).toEqual([]);
    expect(score_html).not.toMatch(/url\(|@import|javascript:/i);
  });

  test('shows hostile replies, prompts, messages and names as text', async () => {
    for (const text of hostile) {
      const check: Check = { name: text, passed: false, message: text };
      const results = mixed.map((result) => ({
        ...result,
        id: text,
        category: text,
        prompt: text,
        kind: text,
        response_text: result.response_text === null ? null : text,
        error_code: result.error_code === null ? null : text,
        checks: [check],
      }));
      const run = runOf(results, {
        target_url: text,
        job_id: text,
        suite: { name: text, version: text, seed: text },
        started_at: text,
      });
      const page = await takeApart(renderScorecard(run).score_html);
      expect({ text, odd: [...page.elements.difference(known.elements)] }).toEqual({ text, odd: [] });
      expect(
        [...page.attributes].map((name) => name.toLowerCase()).filter((name) => !known.attributes.has(name)),
      ).toEqual([]);
    }
  });

  test('escapes any text from a target', () => {
    assert(
      property(
        string({ unit: 'binary', maxLength: 200 }),
        integer({ min: 0, max: hostile.length - 1 }),
        (text, pick) => {
          const escaped = escapeHtml(`${text}${hostile[pick]}${text}`);
          expect(escaped).not.toMatch(/[<>"']/);
          expect(escaped).not.toMatch(/&(?!(?:amp|lt|gt|quot|#39);)/);
          // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not come through.
          expect(escaped).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/);
          expect(escaped.isWellFormed()).toBe(true);
        },
      ),
      { numRuns: 500 },
    );
  });

  test('leaves plain text unchanged', () => {
    expect(escapeHtml('Grüße 🙂\n\ttab & <b> "q" \'a\'\r\nend')).toBe(
      'Grüße 🙂\n\ttab &amp; &lt;b&gt; &quot;q&quot; &#39;a&#39;\nend',
    );
    expect(escapeHtml('a\u0000\u001b\u202e\ufeff\u{e0041}')).toBe(
      'a[U+0000][U+001B][U+202E][U+FEFF][U+E0041]',
    );
  });

  test('stays under 400 KB for a run of 40 cases with full replies', () => {
    const results = mixed.map((result) => ({ ...result, response_text: '<'.repeat(4_000) }));
    expect(renderScorecard(runOf(results)).score_html.length).toBeLessThan(900_000);
    expect(renderScorecard(runOf(mixed)).score_html.length).toBeLessThan(400_000);
  });
});

describe('the Markdown scorecard', () => {
  test('fences replies so that nothing in them closes the fence', () => {
    assert(
      property(string({ unit: 'grapheme', maxLength: 60 }), integer({ min: 0, max: 12 }), (text, ticks) => {
        const block = fenced(`${text}\n${'`'.repeat(ticks)}\n# not a heading`);
        const lines = block.split('\n');
        const fence = lines.at(-1) ?? '';
        expect(lines[0]).toBe(`${fence}text`);
        expect(lines.slice(1, -1).some((line) => line.includes(fence))).toBe(false);
      }),
    );
  });

  test('escapes text outside of fences', () => {
    expect(escapeMarkdown('<b> [x](y) *a* _b_ `c` # | ~ \\ ! &amp;\n# next')).toBe(
      '\\<b\\> \\[x\\]\\(y\\) \\*a\\* \\_b\\_ \\`c\\` \\# \\| \\~ \\\\ \\! \\&amp; \\# next',
    );
    expect(escapeMarkdown('a\u001b[2Jb')).toBe('a\\[U\\+001B\\]\\[2Jb');
  });

  test('passes no escape code to a terminal', () => {
    const results = mixed.map((result) => ({
      ...result,
      status: 'failed' as const,
      score: 0,
      response_text: '\u001b[2J\u0007',
    }));
    // oxlint-disable-next-line no-control-regex -- control characters are exactly what must not come through.
    expect(renderScorecard(runOf(results)).score_md).not.toMatch(/[\u0000-\u0008\u000b-\u001f\u007f]/);
  });

  test('has tables whose lines are equally wide', () => {
    const { score_md } = renderScorecard(runOf(mixed));
    const table = score_md.split('\n').filter((line) => line.startsWith('| ') && line.includes('█'));
    expect(table.length).toBe(categories.length);
    expect(new Set(table.map((line) => line.length)).size).toBe(1);
  });

  test('lists the failed checks and nothing else', () => {
    const { score_md } = renderScorecard(runOf(mixed));
    const listed = [...score_md.matchAll(/^### ([a-z]+-\d+)/gm)].map(([, id]) => id);
    expect(listed).toEqual(mixed.filter((result) => result.status !== 'passed').map((result) => result.id));
    const perfect = renderScorecard(runOf(answerAll(generateCases(seed), ({ expected }) => expected)));
    expect(perfect.score_md).toContain('Every case passed.');
  });
});
