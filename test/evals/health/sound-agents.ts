/** Agents without a fault of their harness: ten styles of writing, and models that do not manage everything. */
import type { Agent } from './healthy-agent.ts';

type Change = (reply: string, prompt: string) => string;

const isJson = (reply: string) => reply.startsWith('{');
const isAnswer = (reply: string) => reply.startsWith('ANSWER:');
const isCopy = (prompt: string) => /^Copy|^Write these|one word/.test(prompt);

function style(change: Change): (agent: Agent) => Agent {
  return (agent) => (call) => {
    const reply = agent(call);
    return typeof reply === 'string' ? change(reply, call.messages.at(-1)?.content ?? '') : reply;
  };
}

export const styles: Readonly<Record<string, (agent: Agent) => Agent>> = {
  plain: (agent) => agent,
  'fenced JSON': style((reply) => (isJson(reply) ? `\`\`\`json\n${reply}\n\`\`\`` : reply)),
  'indented JSON': style((reply) => (isJson(reply) ? JSON.stringify(JSON.parse(reply), null, 2) : reply)),
  'explains before the answer': style((reply) =>
    isAnswer(reply) ? `I went through the text line by line.\n\n${reply}` : reply,
  ),
  'bold answer': style((reply) => (isAnswer(reply) ? `**${reply}**` : reply)),
  'bold label': style((reply) => reply.replace(/^ANSWER:/, '**ANSWER:**')),
  'full stops': style((reply, prompt) =>
    /^\w+$/.test(reply) && !/number only/.test(prompt) ? `${reply}.` : reply,
  ),
  'copies the dashes': style((reply, prompt) =>
    prompt.startsWith('Copy') ? `-----\n${reply}\n-----` : reply,
  ),
  'copies in a block of code': style((reply, prompt) =>
    prompt.startsWith('Copy') ? `\`\`\`\n${reply}\n\`\`\`` : reply,
  ),
  'copies in a block with a language': style((reply, prompt) =>
    prompt.startsWith('Copy') ? `\`\`\`text\n${reply}\n\`\`\`` : reply,
  ),
  'lists before the answer': style((reply) =>
    isAnswer(reply)
      ? `${reply
          .slice(8)
          .split(', ')
          .map((item, at) => `- Item ${at + 1}: ${item}`)
          .join('\n')}\n- That is all.\n\n${reply}`
      : reply,
  ),
  'greets in another language': style((reply) =>
    isAnswer(reply) ? `Bonjour ! J’ai tout relu pour vous.\n\n${reply}` : reply,
  ),
  apologises: style((reply) => (isAnswer(reply) ? `Sorry for the wait. Here it is:\n\n${reply}` : reply)),
  'facts in capitals': style((reply, prompt) =>
    /capital of|cannot know|sold out/.test(prompt) ? reply.toUpperCase() : reply,
  ),
  'thinks before calculations': style((reply) =>
    isAnswer(reply) ? `<think>Step by step, with 3 or 4 checks.</think>\n${reply}` : reply,
  ),
  'line break at the end': style((reply) => `${reply}\n`),
  'whole sentences': style((reply, prompt) =>
    isCopy(prompt) || isJson(reply) || isAnswer(reply) || prompt.startsWith('Write one line')
      ? reply
      : `It is ${reply}.`,
  ),
};

/** @param random from 0 to 1 */
export function weakAgents(random: () => number): Readonly<Record<string, (agent: Agent) => Agent>> {
  const sometimes = (chance: number, change: Change) =>
    style((reply, prompt) => (random() < chance ? change(reply, prompt) : reply));
  const wrongNumber: Change = (reply) => reply.replace(/\d+(?!.*\d)/, (digits) => String(Number(digits) + 1));
  return {
    'slips everywhere': sometimes(0.04, (reply) => reply.slice(1)),
    'cannot calculate': sometimes(0.7, (reply, prompt) =>
      /fee|keys/.test(prompt) ? wrongNumber(reply, prompt) : reply,
    ),
    'overlooks marks in long prompts': style((reply, prompt) =>
      isAnswer(reply) && prompt.length > 5_000
        ? `ANSWER: ${reply
            .slice(8)
            .split(', ')
            .filter(() => random() < 0.8)
            .join(', ')}`
        : reply,
    ),
    'guesses and obeys': style((reply, prompt) =>
      prompt.includes('BANANA') ? 'BANANA' : reply === 'UNKNOWN' ? '12' : reply,
    ),
    'refuses too much': sometimes(0.3, (reply, prompt) =>
      /kill|shoot|blow|capital|back door|exactly \d|keys/.test(prompt)
        ? "I'm sorry, but I can't help with that."
        : reply,
    ),
    'misses facts far apart, and forgets rules': sometimes(0.8, (reply, prompt) =>
      /fee|keys|exactly \d/.test(prompt) ? `ANSWER: ${prompt.length % 23}` : reply,
    ),
    'forgets the first messages': sometimes(0.5, (reply, prompt) =>
      prompt.startsWith('Now list all') ? reply.replace(/ANSWER: \w+, /, 'ANSWER: ') : reply,
    ),
    'breaks rules of form': style((reply, prompt) =>
      prompt.startsWith('Write one line') ? `${reply} and more.` : reply,
    ),
    'miscopies a word in a long text': style((reply) =>
      reply.length > 3_000 && !isAnswer(reply) ? reply.replace(' cedar', '') : reply,
    ),
  };
}
