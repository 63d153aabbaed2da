/**
 * Composes a reply that follows every instruction of a case. It proves that the instructions do not conflict
 * and is the expected reply of the case.
 */

/** Properties of the reply. Each instruction changes its own fields. */
export interface ReplyPlan {
  sentences: number;
  minWords: number;
  /** One entry per mention. */
  extraWords: string[];
  blocks: number;
  layout: 'plain' | 'stars' | 'blank-lines' | 'bullets' | 'sections';
  sectionWord: string;
  firstWord: { readonly block: number; readonly word: string } | null;
  title: boolean;
  postscript: string | null;
  endPhrase: string | null;
  twice: boolean;
  letterCase: 'mixed' | 'capitals' | 'lower';
  quoted: boolean;
  json: boolean;
  /** Repeated before everything else. */
  request: string | null;
  /** The whole reply; null when it is composed. */
  choice: string | null;
}

/** The plan before any instruction is applied. */
export function newReplyPlan(): ReplyPlan {
  return {
    sentences: 2,
    minWords: 0,
    extraWords: [],
    blocks: 1,
    layout: 'plain',
    sectionWord: '',
    firstWord: null,
    title: false,
    postscript: null,
    endPhrase: null,
    twice: false,
    letterCase: 'mixed',
    quoted: false,
    json: false,
    request: null,
    choice: null,
  };
}

/** None of these words belongs to a task, and none contains a capital. */
const filler =
  'people here still speak of it with much care and they often come back to look again because it has stayed almost as it was'.split(
    ' ',
  );

export function composeReply(plan: ReplyPlan): string {
  if (plan.choice !== null) return plan.choice;
  const body = layOut(plan, writeBlocks(plan));
  if (plan.json) return JSON.stringify({ text: body });
  const title = plan.title ? '<<about this place>>\n' : '';
  let text = `${title}${body}`;
  if (plan.postscript !== null) text += `\n${plan.postscript} more about it soon.`;
  if (plan.endPhrase !== null) text += ` ${plan.endPhrase}`;
  if (plan.twice) text = `${text}\n******\n${title}Quite another view. ${body}`;
  if (plan.request !== null) text = `${plan.request}\n\n${text}`;
  if (plan.letterCase === 'capitals') text = text.toUpperCase();
  if (plan.letterCase === 'lower') text = text.toLowerCase();
  return plan.quoted ? `"${text}"` : text;
}

/** Distributes the sentences over the blocks; each block gets at least one. */
function writeBlocks(plan: ReplyPlan): string[] {
  const count = Math.max(plan.sentences, plan.blocks);
  const extras = Array.from({ length: count }, (): string[] => []);
  for (const [position, word] of plan.extraWords.entries()) extras[position % count]?.push(word);
  const fillerWords = Math.max(3, Math.ceil(plan.minWords / count));
  const blocks = Array.from({ length: plan.blocks }, (): string[] => []);
  let next = 0;
  for (const [position, words] of extras.entries()) {
    const block = Math.min(plan.blocks - 1, position);
    const isFirst = blocks[block]?.length === 0;
    const lead = isFirst && plan.firstWord?.block === block ? [plan.firstWord.word] : [];
    const padding = Array.from({ length: fillerWords }, () => filler[next++ % filler.length] ?? '');
    blocks[block]?.push(writeSentence([...lead, ...padding, ...words]));
  }
  return blocks.map((sentences) => sentences.join(' '));
}

function writeSentence(words: readonly string[]): string {
  const sentence = words.join(' ');
  return `${sentence.charAt(0).toUpperCase()}${sentence.slice(1)}.`;
}

function layOut(plan: ReplyPlan, blocks: readonly string[]): string {
  switch (plan.layout) {
    case 'plain':
      return blocks.join(' ');
    case 'stars':
      return blocks.join('\n***\n');
    case 'blank-lines':
      return blocks.join('\n\n');
    case 'bullets':
      return ['This is what matters:', ...blocks.map((block) => `* ${block}`)].join('\n');
    case 'sections':
      return blocks.map((block, position) => `${plan.sectionWord} ${position + 1}\n${block}`).join('\n');
  }
}
