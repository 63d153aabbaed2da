/** The pages of suites: the editor without JavaScript, and what owners and others see of cases and versions. */
import { expect, test } from 'bun:test';
import { createTestAgent, type TestAgent } from '#test/harness/agents.ts';
import { useTestAgent, useTestHub } from '#test/harness/hub.ts';
import { openPage, sendAs } from './tour/sign-in.ts';

const hub = useTestHub({ ownBaseUrl: true });
const ada = useTestAgent(hub, { handle: 'ada' });

const text = `suite: 1
name: refund-desk
title: Refund <b>desk</b>
cases:
  - id: late
    prompt: A parcel </textarea> is late.
    expect: [{ equals: Refund, ignore: [case] }]
    accepted: [refund]
`;

async function open(path: string, as: TestAgent | null = ada): Promise<string> {
  const { status, html } = await openPage(hub, path, as);
  return `${status} ${html}`;
}

const send = (path: string, fields: Readonly<Record<string, string>>) => sendAs(hub, ada, path, fields);
const edit = (form: string, document: string, path = '/suites/new') => send(path, { _form: form, document });

test('a check shows each fault with its line and keeps the text, and a sound text shows its verdicts', async () => {
  const faulty = text.replace('equals', 'equls');
  for (const form of ['check-suite', 'publish-suite']) {
    const { status, html } = await edit(form, faulty);
    expect(status).toBe(form === 'check-suite' ? 200 : 400);
    expect(html).toContain('Line 7, column');
    expect(html).toContain('expect: [{ equls: Refund, ignore: [case] }]');
    expect(html).toContain('Did you mean equals?');
    expect(html).toContain('A parcel &lt;/textarea> is late.');
  }
  const sound = await edit('check-suite', text);
  expect(sound.html).toContain('The suite has no faults. A run has 1 case and 1 reply');
  expect(sound.html).toContain('late accepted[0]');
  expect((await hub.fetch('/v1/suites?owner=ada', { token: ada.bearerToken })).body.suites).toEqual([]);
});

test('a published suite has a page with its versions and their differences, for those who may see it', async () => {
  const published = await edit('publish-suite', text);
  expect([published.status, published.location]).toEqual([
    303,
    '/suites/@ada/refund-desk?done=publish-suite',
  ]);
  for (const query of ['', '?version=1'])
    expect(await openPage(hub, `/suites/ada/refund-desk${query}`)).toMatchObject({
      status: 303,
      location: `/suites/@ada/refund-desk${query}`,
    });
  const path = '/suites/@ada/refund-desk';
  expect(await open(path, null)).toStartWith('404');
  expect(await open(path)).toContain('Refund &lt;b>desk&lt;/b>');
  expect(await open('/suites?owner=ada')).toContain(path);
  const editor = await open(`${path}/edit`);
  expect(editor).toContain('name: refund-desk');
  const changed = `${text.replace('equals: Refund', 'equals: Voucher').replace('[refund]', '[voucher]')}  - { id: total, prompt: Add., expect: [{ number: 2 }] }\n`;
  await edit('publish-suite', changed, `${path}/edit`);
  const shown = await open(path);
  expect(shown).toContain('1 added, 1 changed');
  expect(shown).toContain('Voucher');
  expect(await open(`${path}?version=1`)).not.toContain('Voucher');
  expect(await open(`${path}?version=9`)).toStartWith('404');
  const fields = { title: 'Desk', description: '', visibility: 'hidden', agents: '', retired: 'false' };
  expect((await send(path, { _form: 'edit-suite', ...fields })).status).toBe(303);
  const foreign = await open(path, null);
  expect(foreign).toContain('Only the owner reads the cases');
  expect(foreign).not.toContain('parcel');
  const bob = await createTestAgent(hub.ctx, { handle: 'bob' });
  expect(await open(`${path}/edit`, bob)).toStartWith('403');
  expect((await send(path, { _form: 'delete-suite' })).location).toBe('/suites?done=delete-suite');
});

test('an empty list says of which suites or agents there are none', async () => {
  expect(await open('/suites?tag=zzz', null)).toContain('There are none that you can see.');
  expect(await open('/agents?order=verified', null)).toContain('No agent is verified yet.');
});

test('a page shows no cases of a version that is too large, nor of the one after it', async () => {
  const path = '/suites/@ada/large-desk';
  const small = text.replace('refund-desk', 'large-desk');
  await edit('publish-suite', small.replace('is late.', 'is late. '.repeat(15_000)));
  for (const equals of ['Voucher', 'Nothing']) {
    const document = small.replace('equals: Refund', `equals: ${equals}`).replace('[refund]', `[${equals}]`);
    await edit('publish-suite', document);
  }
  const shown = await Promise.all([1, 2, 3].map((version) => open(`${path}?version=${version}`)));
  expect(shown.map((page) => page.includes('is too large for a page'))).toEqual([true, true, false]);
  expect(shown[1]).not.toContain('Voucher');
  expect(shown[2]).toContain('Nothing');
});

test('the page shows graders and the rubrics of judges in words, for those who read cases', async () => {
  const judged = `${text.replace('refund-desk', 'judged-desk')}  - id: tone
    title: Tone <i>
    prompt: Hi.
    expect: [{ judge: tone, weight: 2 }, { any: [{ contains_any: [a, b] }, { not: { equals: c } }], at_least: 0.5 }]
judges: { tone: { rubric: Is <em>polite</em>, votes: 3 }, code: { command: python3 judge.py } }
`;
  expect((await edit('publish-suite', judged)).status).toBe(303);
  const shown = await open('/suites/@ada/judged-desk');
  const words = ['weight: 2', 'contains any', 'a, b', 'at least: 0.5', 'ignore: case'];
  const judges = ['Is &lt;em>polite', 'asked 3 times; 2 must accept', 'python3 judge.py'];
  for (const part of [...judges, ...words]) expect(shown).toContain(part);
  expect(shown).not.toContain('&quot;equals&quot;');
});

/** A case of which the agent said `<i>Yes`. */
async function addDraft(path: string, verdict: string, prompt: string): Promise<{ readonly id: string }> {
  const request = { messages: [{ role: 'user', content: prompt }] };
  const json = { verdict, request, response: { choices: [{ message: { content: '<i>Yes' } }] } };
  return (await hub.fetch(`/v1${path}/drafts`, { token: ada.bearerToken, json })).body.draft;
}

test('a draft is taken in with a proposed grader by one click', async () => {
  await edit('publish-suite', text.replace('refund-desk', 'take-desk'));
  const path = '/suites/@ada/take-desk';
  const { id } = await addDraft(path, 'refused', 'May I?');
  expect(await open(path)).toContain('not contains: &lt;i>Yes · ignore: case');
  const fields = { _form: 'take-in', id, grader: '1', title: 'Never <b>yes' };
  expect((await send(path, fields)).location).toBe(`${path}?done=take-in`);
  const shown = await open(path);
  for (const part of ['Never &lt;b>yes', '1 added', 'not contains', 'title: Never &lt;b>yes'])
    expect(shown).toContain(part);
  expect(shown).not.toContain('1 draft');
});

test('a draft is shown to the owner, opens in the editor as the last case, and is gone once published', async () => {
  await edit('publish-suite', text.replace('refund-desk', 'draft-desk'));
  const path = '/suites/@ada/draft-desk';
  const { id } = await addDraft(path, 'accepted', 'May <b>I?');
  const { id: other } = await addDraft(path, 'accepted', 'Not kept');
  const shown = await open(path);
  for (const part of ['2 drafts', 'May &lt;b>I?', '&lt;i>Yes', `${path}/edit?draft=${id}`])
    expect(shown).toContain(part);
  await hub.fetch(`/v1${path}`, { token: ada.bearerToken, method: 'PATCH', json: { visibility: 'open' } });
  expect(await open(path, null)).not.toContain('2 drafts');
  const editor = await open(`${path}/edit?draft=${id}`);
  const [, document = ''] = /<textarea[^>]*>([^<]*(?:<(?!\/textarea)[^<]*)*)<\/textarea>/.exec(editor) ?? [];
  const plain = document.replaceAll('&lt;', '<').replaceAll('&quot;', '"').replaceAll('&amp;', '&');
  expect(plain).toContain('May <b>I?');
  expect((await edit('publish-suite', plain.trimStart(), `${path}/edit`)).status).toBe(303);
  expect((await send(path, { _form: 'delete-draft', id: other })).status).toBe(303);
  expect(await open(path)).not.toContain('Not kept');
  expect(await open(`${path}/edit?draft=${id}`)).toStartWith('404');
});

test('the editor sends back whatever it opens, though its form takes three bytes for one', async () => {
  const path = '/suites/@ada/long-desk';
  const prompt = 'ы'.repeat(15_000);
  const cases = ['a', 'b', 'c'].map(
    (id) => `  - { id: ${id}, prompt: ${prompt}, expect: [{ equals: "Yes" }] }\n`,
  );
  const fits = text.replace('refund-desk', 'long-desk') + cases.join('');
  expect((await edit('publish-suite', fits)).status).toBe(303);
  expect(await open(`${path}/edit`)).toContain('<textarea');
  expect((await edit('check-suite', fits, `${path}/edit`)).status).toBe(200);
});
