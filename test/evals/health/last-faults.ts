/** Faults of harnesses that people report, written after the rules had been changed for the later ones. */
import type { Agent, Said } from './healthy-agent.ts';
import { back, length, planted, recall, replaced, way, type PlantedFault } from './plant.ts';

const isJson = (text: string) => text.startsWith('{');

export const lastFaults: readonly PlantedFault[] = [
  back('links become Markdown links', /link|https/i, (text) =>
    text.replaceAll(/https?:\/\/[^\s"]+/g, (url) => `[${url}](${url})`),
  ),
  back('markup of a chat program', /entities|&amp;/, (text) =>
    text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;').replaceAll('**', '*'),
  ),
  back('cut at 2,000 characters with an ellipsis', /cut off/, (text) =>
    text.length <= 2_000 ? text : `${text.slice(0, 1_997)}...`,
  ),
  back('labels translated', /ANSWER|ANTWORT|translat|language/i, (text) =>
    text.replace('ANSWER:', 'ANTWORT:').replace('UNKNOWN', 'UNBEKANNT'),
  ),
  back('emoji become replacement characters', /😀|[Ee]moji|�/, (text) =>
    text.replaceAll('😀', '\uFFFD\uFFFD'),
  ),
  recall('keeps the last four messages', /only the last messages arrive/, (messages) => messages.slice(-4)),
  back('digits spelled out', /[Dd]igits|[Nn]umbers|"0*\d+" becomes/, (text) =>
    text.replaceAll(
      /\d/g,
      (d) => `${'zero one two three four five six seven eight nine'.split(' ')[Number(d)]} `,
    ),
  ),
  planted('one memory for all conversations', /mixed|other conversations?|shared|another/i, (agent) => {
    const memory: Said[] = [];
    return (call) => {
      memory.push(...call.messages.slice(-1));
      return agent({ ...call, messages: [...memory] });
    };
  }),
  replaced(
    'an error page with 200 on long prompts',
    /Errors come back|502/,
    '<html><head><title>502 Bad Gateway</title></head><body><center><h1>502 Bad Gateway</h1></center></body></html>',
    ({ messages }) => length(messages) > 12_000,
  ),
  way('small letters on the way in', /lower case/, (text) => text.toLowerCase()),
  way('masked words', /\*\*\*/, (text) =>
    text.replaceAll(/\b(?:kill|shoot|blow|fine|box|secret|code)\b/gi, (w) => '*'.repeat(w.length)),
  ),
  back('decimal commas', /"\." becomes ","|comma/, (text) => text.replaceAll(/(?<=\d)\.(?=\d)/g, ',')),
  back('dates become times', /[Dd]ates|T00/, (text) =>
    text.replaceAll(/\d{4}-\d\d-\d\d/g, '$&T00:00:00.000Z'),
  ),
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
    'a text that asks to wait when called at once',
    /at once|same reply/,
    'Please wait until your previous question is answered.',
    ({ atOnce }) => atOnce.length > 3,
  ),
  replaced(
    'a full context as a reply',
    /context length|longer than|more than [\d,]+ characters/,
    "This model's maximum context length is 4096 tokens. Please reduce the length of the messages.",
    ({ messages }) => length(messages) > 12_000,
  ),
  way('Cyrillic in Latin letters on the way in', /Privet/, (text) => text.replaceAll('Привет', 'Privet')),
  back('spaces that do not break', /space/i, (text) => text.replaceAll(' ', '\u00a0')),
  back('a hidden mark after each sixth word', /hidden|invisible|zero-width|U\+200B|added/i, (text) =>
    text.replaceAll(/((?:\S+ ){6})/g, '$1\u200b'),
  ),
  back('content parts as a text', /wrapped/, (text) =>
    JSON.stringify([{ type: 'text', text, annotations: [] }]),
  ),
  back('a byte order mark before each reply', /FEFF|byte order|added/i, (text) => `\ufeff${text}`),
  back('German quotes', /„|[Qq]uotes/, (text) => text.replaceAll(/"([^"]*)"/g, '„$1“')),
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
  back('decimals rounded', /[Dd]ecimal|round|\.50?" |`price`/, (text) =>
    text.replaceAll(/\d+\.\d+/g, (number) => String(Math.round(Number(number)))),
  ),
];
