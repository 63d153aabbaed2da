/** Faults of harnesses that people report, written without a look at the rules that were to name them. */
import type { Agent, Said } from './healthy-agent.ts';
import { asked, back, counted, length, type PlantedFault, way } from './plant.ts';

const isJson = (text: string) => text.startsWith('{');

export const laterFaults: readonly PlantedFault[] = [
  {
    name: 'keeps the last 1,500 words',
    plant: way((text) =>
      text
        .split(/(?<=\s)/)
        .slice(-1_500)
        .join(''),
    ),
    said: /lose their beginning/,
  },
  {
    name: 'keeps the last two messages',
    plant: (agent) => (call) => agent({ ...call, messages: call.messages.slice(-2) }),
    said: /earlier (?:messages|ones)/,
  },
  {
    name: 'drops the newest message of a conversation',
    plant: (agent) => (call) =>
      agent({ ...call, messages: call.messages.length > 1 ? call.messages.slice(0, -2) : call.messages }),
    said: /conversation|Conversations/,
  },
  { name: 'upper case', plant: back((text) => text.toUpperCase()), said: /upper case/ },
  {
    name: 'quotes vanish on the way in',
    plant: way((text) => text.replaceAll('"', '').replaceAll("'", '')),
    said: /Quotes/,
  },
  {
    name: 'quotes escaped',
    plant: back((text) => (text.startsWith('{') ? text : text.replaceAll('"', '\\"'))),
    said: /backslash/,
  },
  { name: 'first line only', plant: back((text) => text.split('\n')[0] ?? ''), said: /first line/ },
  {
    name: 'cut at 2,048 characters',
    plant: back((text) => text.slice(0, 2_048)),
    said: /cut off after about 2,0/,
  },
  {
    name: '429 for every third call',
    plant: counted(
      (count) => (agent) => (call) =>
        count() % 3 === 0 ? { code: 'target_error_status', status: 429 } : agent(call),
    ),
    said: /429/,
  },
  {
    name: 'a different greeting each time',
    plant: counted((count) =>
      back((text) => `${['Hi!', 'Sure.', 'Certainly!', 'Good question!'][count() % 4]} ${text}`),
    ),
    said: /around the answer/,
  },
  { name: 'citations', plant: back((text) => `${text} [1]`), said: /around the answer|after the answer/ },
  {
    name: 'null fields dropped',
    plant: back((text) => text.replaceAll(/"\w+":null,?/g, '')),
    said: /`note` is missing/,
  },
  {
    name: 'yes for true',
    plant: back((text) => text.replaceAll(':true', ':"yes"').replaceAll(':false', ':"no"')),
    said: /`paid` is changed/,
  },
  {
    name: 'every fourth reply is empty',
    plant: counted((count) => back((text) => (count() % 4 === 0 ? '' : text))),
    said: /empty/,
  },
  { name: 'echoes the prompt', plant: () => (call) => asked(call.messages), said: /Prompts come back/ },
  {
    name: 'double braces halved',
    plant: way((text) => text.replaceAll('{{', '{').replaceAll('}}', '}')),
    said: /[Dd]ouble braces/,
  },
  {
    name: 'emoji dropped',
    plant: way((text) => text.replaceAll(/\p{Extended_Pictographic}/gu, '')),
    said: /Emoji/,
  },
  {
    name: 'accents dropped',
    plant: back((text) => text.normalize('NFD').replaceAll(/\p{M}/gu, '')),
    said: /Accents/,
  },
  { name: 'empty lines dropped', plant: way((text) => text.replaceAll(/\n\n+/g, '\n')), said: /Empty lines/ },
  {
    name: 'wrapped as a quotation',
    plant: back((text) =>
      text
        .split('\n')
        .map((line) => `> ${line}`)
        .join('\n'),
    ),
    said: /around|before/,
  },
  {
    name: 'one history for all',
    plant: (agent) => {
      const history: Said[] = [];
      return (call) => {
        history.push(...call.messages.slice(-1));
        return agent({
          ...call,
          messages: history.slice(-2, -1).length > 0 ? history.slice(-2, -1) : history,
        });
      };
    },
    said: /mixed|another/,
  },
  {
    name: 'filter replies instead of the model',
    plant: (agent) => (call) =>
      /secret|code|kill|door/i.test(asked(call.messages))
        ? 'This request was blocked by our content policy.'
        : agent(call),
    said: /same reply/,
  },
  {
    name: 'a summary in place of earlier messages',
    plant: (agent) => (call) =>
      agent({
        ...call,
        messages:
          call.messages.length <= 3
            ? call.messages
            : [
                { role: 'user', content: 'Summary of the conversation so far: the user sent some words.' },
                ...call.messages.slice(-2),
              ],
      }),
    said: /earlier (?:messages|ones|turns)|beginning of (?:a )?conversation|first messages/i,
  },
  {
    name: 'history in reverse order',
    plant: (agent) => (call) => agent({ ...call, messages: call.messages.toReversed() }),
    said: /first message|conversation/i,
  },
  {
    name: 'white space collapsed on the way in',
    plant: way((text) => text.replaceAll(/\s+/g, ' ')),
    said: /[Ll]ine breaks|[Ss]paces/,
  },
  {
    name: 'line breaks arrive as a backslash and an n',
    plant: way((text) => text.replaceAll('\n', '\\n')),
    said: /[Ll]ine breaks|backslash/,
  },
  {
    name: 'equal lines dropped',
    plant: way((text) => [...new Set(text.split('\n'))].join('\n')),
    said: /[Rr]epeat|[Ee]qual lines|[Dd]uplicate|[Ee]mpty lines/,
  },
  {
    name: 'replies rendered as HTML',
    plant: back(
      (text) => `<p>${text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('\n', '<br>')}</p>`,
    ),
    said: /HTML|entities|[Tt]ags/,
  },
  {
    name: 'Markdown characters stripped from replies',
    plant: back((text) => text.replaceAll(/[*_#`]/g, '').replaceAll(/^- /gm, '')),
    said: /Markdown|[Uu]nderscores|[Aa]sterisks|list/,
  },
  {
    name: 'plus signs and percent escapes decoded on the way in',
    plant: way((text) =>
      text
        .replaceAll('+', ' ')
        .replaceAll(/%([0-7][0-9A-Fa-f])/g, (_, hex: string) => String.fromCharCode(parseInt(hex, 16))),
    ),
    said: /\+ becomes a space/,
  },
  {
    name: 'stops at an empty line',
    plant: back((text) => text.split('\n\n')[0] ?? ''),
    said: /empty line|first paragraph|cut/i,
  },
  {
    name: 'replies of at most 120 words',
    plant: back((text) =>
      text
        .split(/(?<=\s)/)
        .slice(0, 120)
        .join(''),
    ),
    said: /cut off after about/,
  },
  {
    name: 'no reply where the reply is long',
    plant: (agent) => (call) => {
      const reply = agent(call);
      return typeof reply === 'string' && reply.length > 1_500
        ? { code: 'target_timeout', status: null }
        : reply;
    },
    said: /long(?:er)? repl|replies of more than|reply is long/i,
  },
  {
    name: '413 for bodies over 16 kB',
    plant: (agent) => (call) =>
      length(call.messages) > 16_000 / 2 ? { code: 'target_error_status', status: 413 } : agent(call),
    said: /413|more than [\d,]+ characters/,
  },
  {
    name: '500 where a prompt is not ASCII',
    plant: (agent) => (call) =>
      /[^\0-\x7f]/.test(asked(call.messages)) ? { code: 'target_error_status', status: 500 } : agent(call),
    said: /scripts|ASCII|accents|languages|[Ee]moji/,
  },
  {
    name: '500 where a prompt has braces',
    plant: (agent) => (call) =>
      /[{}]/.test(asked(call.messages)) ? { code: 'target_error_status', status: 500 } : agent(call),
    said: /[Bb]races/,
  },
  {
    name: 'personal data redacted: numbers of three digits or more',
    plant: way((text) => text.replaceAll(/\b\d{3,}\b/g, '[REDACTED]')),
    said: /REDACTED/,
  },
  {
    name: 'cache that ignores numbers and names',
    plant: (agent) => {
      const cache = new Map<string, ReturnType<Agent>>();
      return (call) => {
        const key = JSON.stringify(call.messages).slice(-60);
        const reply = cache.get(key) ?? agent(call);
        cache.set(key, reply);
        return reply;
      };
    },
    said: /reply to an earlier/,
  },
  {
    name: 'keys in capitals',
    plant: back((text) => (isJson(text) ? text.replaceAll(/"(\w+)":/g, (all) => all.toUpperCase()) : text)),
    said: /keys|capitals|names of fields|`code`/i,
  },
  {
    name: 'JSON as YAML',
    plant: back((text) =>
      isJson(text)
        ? // The text is an object, for it starts with a brace.
          Object.entries(JSON.parse(text) as Record<string, unknown>)
            .map(([key, value]) => `${key}: ${JSON.stringify(value)}`)
            .join('\n')
        : text,
    ),
    said: /YAML|not (?:as )?JSON|no JSON|JSON/,
  },
  {
    name: 'first token of a stream lost',
    plant: back((text) => text.slice(text.search(/(?<=[\w{-])(?=[^\w])|(?<=^\w{3})/))),
    said: /beginning|start|first (?:word|characters)/i,
  },
  {
    name: 'last characters of a stream lost',
    plant: back((text) => text.slice(0, -4)),
    said: /\bends?\b|last (?:word|characters)/i,
  },
  {
    name: 'events of a stream as the reply',
    plant: back(
      (text) =>
        `data: ${JSON.stringify({ delta: text.slice(0, 5) })}\n\n` +
        `data: ${JSON.stringify({ delta: text.slice(5) })}\n\ndata: [DONE]\n\n`,
    ),
    said: /stream|data:|around the answer|before/i,
  },
  {
    name: 'continues the dialogue as the user',
    plant: back((text) => `${text}\n\nUser: Thank you!\nAssistant: You are welcome.`),
    said: /after the answer|around the answer/,
  },
  {
    name: 'answers only questions about the shop',
    plant: (agent) => (call) =>
      /order|shop|fee/i.test(asked(call.messages))
        ? agent(call)
        : 'I can only help with questions about our products.',
    said: /same reply|refus/i,
  },
  {
    name: 'quota used up after thirty calls',
    plant: counted(
      (count) => (agent) => (call) =>
        count() > 30 ? { code: 'target_error_status', status: 429 } : agent(call),
    ),
    said: /429/,
  },
  { name: 'the prompt arrives twice', plant: way((text) => `${text}\n\n${text}`), said: /twice|doubled/ },
  { name: 'tabs become spaces', plant: way((text) => text.replaceAll('\t', '    ')), said: /a tab becomes/ },
  {
    name: 'ignores corrections',
    plant: (agent) => (call) =>
      agent({
        ...call,
        messages: call.messages.map((one, at): Said =>
          at === call.messages.length - 3 && /order/.test(one.content) ? (call.messages[0] ?? one) : one,
        ),
      }),
    said: /ignores a correction/,
  },
  {
    name: 'says unknown too often',
    plant: back((text, messages) =>
      /if you cannot|capital|UNKNOWN/.test(asked(messages)) ? 'UNKNOWN' : text,
    ),
    said: /UNKNOWN/,
  },
  {
    name: 'reasons at length and is cut at 4,000',
    plant: back((text) =>
      `<think>${'Let me think about what the user wants here. '.repeat(text.length > 20 ? 95 : 30)}</think>\n${text}`.slice(
        0,
        4_000,
      ),
    ),
    said: /reasoning|cut off/,
  },
  {
    name: 'long dashes and ellipses',
    plant: back((text) =>
      text
        .replaceAll('--', '—')
        .replaceAll('...', '…')
        .replaceAll(/(\d)-(\d)/g, '$1–$2'),
    ),
    said: /"--" becomes "—"/,
  },
];
