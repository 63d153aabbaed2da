/** Faults of harnesses that people report, written without a look at the rules that were to name them. */
import type { Agent, Said } from './healthy-agent.ts';
import {
  asked,
  back,
  cache,
  instead,
  length,
  planted,
  recall,
  replaced,
  status,
  way,
  type PlantedFault,
} from './plant.ts';

const isJson = (text: string) => text.startsWith('{');

export const laterFaults: readonly PlantedFault[] = [
  recall('drops the newest message of a conversation', /conversation|Conversations/, (messages) =>
    messages.length > 1 ? messages.slice(0, -2) : messages,
  ),
  back('upper case', /upper case/, (text) => text.toUpperCase()),
  way('quotes vanish on the way in', /Quotes/, (text) => text.replaceAll('"', '').replaceAll("'", '')),
  back('quotes escaped', /backslash/, (text) => (text.startsWith('{') ? text : text.replaceAll('"', '\\"'))),
  back('first line only', /first line/, (text) => text.split('\n')[0] ?? ''),
  replaced('429 for every third call', /429/, status(429), (_, count) => count % 3 === 0),
  back(
    'a different greeting each time',
    /around the answer/,
    (text, _, count) => `${['Hi!', 'Sure.', 'Certainly!', 'Good question!'][count % 4]} ${text}`,
  ),
  back('citations', /around the answer|after the answer/, (text) => `${text} [1]`),
  back('null fields dropped', /`note` is missing/, (text) => text.replaceAll(/"\w+":null,?/g, '')),
  back('yes for true', /`paid` is changed/, (text) =>
    text.replaceAll(':true', ':"yes"').replaceAll(':false', ':"no"'),
  ),
  replaced('every fourth reply is empty', /empty/, '', (_, count) => count % 4 === 0),
  instead('echoes the prompt', /Prompts come back/, (_, call) => asked(call.messages)),
  way('double braces halved', /[Dd]ouble braces/, (text) => text.replaceAll('{{', '{').replaceAll('}}', '}')),
  way('emoji dropped', /Emoji/, (text) => text.replaceAll(/\p{Extended_Pictographic}/gu, '')),
  back('accents dropped', /Accents/, (text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '')),
  way('empty lines dropped', /Empty lines/, (text) => text.replaceAll(/\n\n+/g, '\n')),
  back('wrapped as a quotation', /around|before/, (text) =>
    text
      .split('\n')
      .map((line) => `> ${line}`)
      .join('\n'),
  ),
  way('line breaks arrive as a backslash and an n', /[Ll]ine breaks|backslash/, (text) =>
    text.replaceAll('\n', '\\n'),
  ),
  way('equal lines dropped', /[Rr]epeat|[Ee]qual lines|[Dd]uplicate|[Ee]mpty lines/, (text) =>
    [...new Set(text.split('\n'))].join('\n'),
  ),
  back(
    'replies rendered as HTML',
    /HTML|entities|[Tt]ags/,
    (text) => `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>')}</p>`,
  ),
  back('Markdown characters stripped from replies', /Markdown|[Uu]nderscores|[Aa]sterisks|list/, (text) =>
    text.replaceAll(/[*_#`]/g, '').replaceAll(/^- /gm, ''),
  ),
  way('plus signs and percent escapes decoded on the way in', /\+ becomes a space/, (text) =>
    text
      .replaceAll('+', ' ')
      .replaceAll(/%([0-7][0-9A-Fa-f])/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
  ),
  back('stops at an empty line', /empty line|first paragraph|cut/i, (text) => text.split('\n\n')[0] ?? ''),
  back('replies of at most 120 words', /cut off after about/, (text) =>
    text
      .split(/(?<=\s)/)
      .slice(0, 120)
      .join(''),
  ),
  instead(
    'no reply where the reply is long',
    /long(?:er)? repl|replies of more than|reply is long/i,
    (agent, call) => {
      const reply = agent(call);
      return typeof reply === 'string' && reply.length > 1_500
        ? { code: 'target_timeout', status: null }
        : reply;
    },
  ),
  replaced('500 where a prompt has braces', /[Bb]races/, status(500), ({ messages }) =>
    /[{}]/.test(asked(messages)),
  ),
  way('personal data redacted: numbers of three digits or more', /REDACTED/, (text) =>
    text.replaceAll(/\b\d{3,}\b/g, '[REDACTED]'),
  ),
  cache('cache that ignores numbers and names', /reply to an earlier/, (messages) =>
    JSON.stringify(messages).slice(-60),
  ),
  back('keys in capitals', /keys|capitals|names of fields|`code`/i, (text) =>
    isJson(text) ? text.replaceAll(/"(\w+)":/g, (all) => all.toUpperCase()) : text,
  ),
  back('first token of a stream lost', /beginning|start|first (?:word|characters)/i, (text) =>
    text.slice(text.search(/(?<=[\w{-])(?=[^\w])|(?<=^\w{3})/)),
  ),
  back('last characters of a stream lost', /\bends?\b|last (?:word|characters)/i, (text) =>
    text.slice(0, -4),
  ),
  back(
    'events of a stream as the reply',
    /stream|data:|around the answer|before/i,
    (text) =>
      `data: ${JSON.stringify({ delta: text.slice(0, 5) })}\n\n` +
      `data: ${JSON.stringify({ delta: text.slice(5) })}\n\ndata: [DONE]\n\n`,
  ),
  replaced(
    'answers only questions about the shop',
    /same reply|refus/i,
    'I can only help with questions about our products.',
    ({ messages }) => !/order|shop|fee/i.test(asked(messages)),
  ),
  replaced('quota used up after thirty calls', /429/, status(429), (_, count) => count > 30),
  way('the prompt arrives twice', /twice|doubled/, (text) => `${text}\n\n${text}`),
  way('tabs become spaces', /a tab becomes/, (text) => text.replaceAll('\t', '    ')),
  recall('ignores corrections', /ignores a correction/, (messages) =>
    messages.map((one, at) =>
      at === messages.length - 3 && /order/.test(one.content) ? (messages[0] ?? one) : one,
    ),
  ),
  back('says unknown too often', /UNKNOWN/, (text, messages) =>
    /if you cannot|capital|UNKNOWN/.test(asked(messages)) ? 'UNKNOWN' : text,
  ),
  back('reasons at length and is cut at 4,000', /cut off/, (text) =>
    `<think>${'Let me think about what the user wants here. '.repeat(text.length > 20 ? 95 : 30)}</think>\n${text}`.slice(
      0,
      4_000,
    ),
  ),
  back('long dashes and ellipses', /"--" becomes "—"/, (text) =>
    text
      .replaceAll('--', '—')
      .replaceAll('...', '…')
      .replaceAll(/(\d)-(\d)/g, '$1–$2'),
  ),
  back('links become Markdown links', /link|https/i, (text) =>
    text.replaceAll(/https?:\/\/[^\s"]+/g, (url) => `[${url}](${url})`),
  ),
  back('labels translated', /ANSWER|ANTWORT|translat|language/i, (text) =>
    text.replace('ANSWER:', 'ANTWORT:').replace('UNKNOWN', 'UNBEKANNT'),
  ),
  recall('keeps the last four messages', /only the last messages arrive/, (messages) => messages.slice(-4)),
  planted('one memory for all conversations', /mixed|other conversations?|shared|another/i, (agent) => {
    const memory: Said[] = [];
    return (call) => {
      memory.push(...call.messages.slice(-1));
      return agent({ ...call, messages: [...memory] });
    };
  }),
  way('small letters on the way in', /lower case/, (text) => text.toLowerCase()),
  back(
    'partial text before the whole',
    /twice|repeat|around|added|before/i,
    (text) => text.slice(0, Math.floor(text.length / 2)) + text,
  ),
  back('keys of JSON without quotes', /quotes|JSON object are not|no JSON/, (text) =>
    isJson(text) ? text.replaceAll(/"(\w+)":/g, '$1: ') : text,
  ),
  back('prompt and reply share 6,000 characters', /empty|cut off/, (text, messages) =>
    text.slice(0, Math.max(0, 6_000 - length(messages))),
  ),
  replaced(
    'a full context as a reply',
    /context length|longer than|more than [\d,]+ characters/,
    "This model's maximum context length is 4096 tokens. Please reduce the length of the messages.",
    ({ messages }) => length(messages) > 12_000,
  ),
  back('spaces that do not break', /space/i, (text) => text.replaceAll(' ', '\u00a0')),
  back('a hidden mark after each sixth word', /hidden|invisible|zero-width|U\+200B|added/i, (text) =>
    text.replaceAll(/((?:\S+ ){6})/g, '$1\u200b'),
  ),
  back('content parts as a text', /wrapped/, (text) =>
    JSON.stringify([{ type: 'text', text, annotations: [] }]),
  ),
  back('a byte order mark before each reply', /FEFF|byte order|added/i, (text) => `\ufeff${text}`),
  way('300 characters of each message', /lose their end/, (text) => text.slice(0, 300)),
  replaced(
    'every second call at once gets an empty reply',
    /at once.*empty|empty.*at once/,
    '',
    ({ atOnce }, count) => atOnce.length > 2 && count % 2 === 0,
  ),
  planted('replies to the call before', /earlier|another|before/, (agent) => {
    let before: ReturnType<Agent> = 'Hello!';
    return (call) => {
      const reply = before;
      before = agent(call);
      return reply;
    };
  }),
];
