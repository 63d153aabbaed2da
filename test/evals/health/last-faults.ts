/** Faults of harnesses that people report, written after the rules had been changed for the later ones. */
import type { Agent, Said } from './healthy-agent.ts';
import { back, counted, length, type PlantedFault, way } from './plant.ts';

const isJson = (text: string) => text.startsWith('{');

export const lastFaults: readonly PlantedFault[] = [
  {
    name: 'links become Markdown links',
    plant: back((text) => text.replaceAll(/https?:\/\/[^\s"]+/g, (url) => `[${url}](${url})`)),
    said: /link|https/i,
  },
  {
    name: 'markup of a chat program',
    plant: back((text) =>
      text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('**', '*'),
    ),
    said: /entities|&amp;/,
  },
  {
    name: 'cut at 2,000 characters with an ellipsis',
    plant: back((text) => (text.length <= 2_000 ? text : `${text.slice(0, 1_997)}...`)),
    said: /cut off/,
  },
  {
    name: 'labels translated',
    plant: back((text) => text.replace('ANSWER:', 'ANTWORT:').replace('UNKNOWN', 'UNBEKANNT')),
    said: /ANSWER|ANTWORT|translat|language/i,
  },
  {
    name: 'emoji become replacement characters',
    plant: back((text) => text.replaceAll('😀', '\uFFFD\uFFFD')),
    said: /😀|[Ee]moji|�/,
  },
  {
    name: 'keeps the last four messages',
    plant: (agent) => (c) => agent({ ...c, messages: c.messages.slice(-4) }),
    said: /only the last messages arrive/,
  },
  {
    name: 'digits spelled out',
    plant: back((text) =>
      text.replaceAll(
        /\d/g,
        (d) => `${'zero one two three four five six seven eight nine'.split(' ')[Number(d)]} `,
      ),
    ),
    said: /[Dd]igits|[Nn]umbers|"0*\d+" becomes/,
  },
  {
    name: 'one memory for all conversations',
    plant: (agent) => {
      const memory: Said[] = [];
      return (c) => {
        const reply = agent({ ...c, messages: [...memory, ...c.messages.slice(-1)] });
        memory.push(...c.messages.slice(-1));
        return reply;
      };
    },
    said: /mixed|other conversations?|shared|another/i,
  },
  {
    name: 'an error page with 200 on long prompts',
    plant: (agent) => (c) =>
      length(c.messages) > 12_000
        ? '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>'
        : agent(c),
    said: /Errors come back|502/,
  },
  { name: 'small letters on the way in', plant: way((text) => text.toLowerCase()), said: /lower case/ },
  {
    name: 'masked words',
    plant: way((text) =>
      text.replaceAll(/\b(?:kill|shoot|blow|fine|box|secret|code)\b/gi, (w) => '*'.repeat(w.length)),
    ),
    said: /\*\*\*/,
  },
  {
    name: 'decimal commas',
    plant: back((text) => text.replaceAll(/(?<=\d)\.(?=\d)/g, ',')),
    said: /"\." becomes ","|comma/,
  },
  {
    name: 'dates become times',
    plant: back((text) => text.replaceAll(/\d{4}-\d\d-\d\d/g, '$&T00:00:00.000Z')),
    said: /[Dd]ates|T00/,
  },
  {
    name: 'partial text before the whole',
    plant: back((text) => text.slice(0, Math.floor(text.length / 2)) + text),
    said: /twice|repeat|around|added|before/i,
  },
  {
    name: 'keys of JSON without quotes',
    plant: back((text) => (isJson(text) ? text.replaceAll(/"(\w+)":/g, '$1: ') : text)),
    said: /quotes|JSON object are not|no JSON/,
  },
  {
    name: 'prompt and reply share 6,000 characters',
    plant: back((text, messages) => text.slice(0, Math.max(0, 6_000 - length(messages)))),
    said: /empty|cut off/,
  },
  {
    name: 'a text that asks to wait when called at once',
    plant: (agent) => (call) =>
      call.atOnce.length > 3 ? 'Please wait until your previous question is answered.' : agent(call),
    said: /at once|same reply/,
  },
  {
    name: 'a full context as a reply',
    plant: (agent) => (call) =>
      length(call.messages) > 12_000
        ? "This model's maximum context length is 4096 tokens. Please reduce the length of the messages."
        : agent(call),
    said: /context length|longer than|more than [\d,]+ characters/,
  },
  {
    name: 'Cyrillic in Latin letters on the way in',
    plant: way((text) => text.replaceAll('Привет', 'Privet')),
    said: /Privet/,
  },
  { name: 'spaces that do not break', plant: back((text) => text.replaceAll(' ', '\u00a0')), said: /space/i },
  {
    name: 'a hidden mark after each sixth word',
    plant: back((text) => text.replaceAll(/((?:\S+ ){6})/g, '$1\u200b')),
    said: /hidden|invisible|zero-width|U\+200B|added/i,
  },
  {
    name: 'content parts as a text',
    plant: back((text) => JSON.stringify([{ type: 'text', text, annotations: [] }])),
    said: /wrapped/,
  },
  {
    name: 'a byte order mark before each reply',
    plant: back((text) => `\ufeff${text}`),
    said: /FEFF|byte order|added/i,
  },
  {
    name: 'German quotes',
    plant: back((text) => text.replaceAll(/"([^"]*)"/g, '„$1“')),
    said: /„|[Qq]uotes/,
  },
  {
    name: '300 characters of each message',
    plant: way((text) => text.slice(0, 300)),
    said: /lose their end/,
  },
  {
    name: 'every second call at once gets an empty reply',
    plant: counted(
      (count) => (agent) => (call) => (call.atOnce.length > 2 && count() % 2 === 0 ? '' : agent(call)),
    ),
    said: /at once.*empty|empty.*at once/,
  },
  {
    name: 'replies to the call before',
    plant: (agent) => {
      let before: ReturnType<Agent> = 'Hello!';
      return (call) => {
        const reply = before;
        before = agent(call);
        return reply;
      };
    },
    said: /earlier|another|before/,
  },
  {
    name: 'decimals rounded',
    plant: back((text) => text.replaceAll(/\d+\.\d+/g, (number) => String(Math.round(Number(number))))),
    said: /[Dd]ecimal|round|\.50?" |`price`/,
  },
];
