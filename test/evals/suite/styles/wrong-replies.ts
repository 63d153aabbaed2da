/** Replies that must not count as right, although most of them hold the right value. */
import { asJson, fence, inSentence } from './answer-forms.ts';
import type { AnswerStyle, Pick, StyledAnswer } from './answer-style.ts';
import { answerStyles } from './index.ts';
import { writeWorking } from './working.ts';
import { pickWrongAnswer } from './wrong-answer.ts';
import { unevaluated, wrongByType } from './wrong-by-type.ts';

/** Writes a reply from the right and a wrong answer, in their forms for sentences. */
function withBoth(
  name: string,
  write: (right: string, wrong: string, pick: Pick, answer: StyledAnswer) => string,
): AnswerStyle {
  return {
    name,
    write: (answer, pick) =>
      write(inSentence(answer), inSentence(pickWrongAnswer(answer, pick)), pick, answer),
  };
}

const hedged: readonly AnswerStyle[] = [
  withBoth('either-or', (right, wrong) => `${right} or ${wrong}`),
  withBoth('labelled-either-or', (right, wrong) => `Answer: ${wrong} or ${right}`),
  withBoth('probably-maybe', (right, wrong) => `Probably ${right}, maybe ${wrong}.`),
  withBoth('both-possible', (right, wrong) => `It could be ${right}. It could also be ${wrong}.`),
  withBoth('question', (right, _wrong, pick) => pick([`Is it ${right}?`, `Could the answer be ${right}?`])),
  withBoth('no-basis', (right, wrong) => `I can't decide between ${right} and ${wrong}.`),
  withBoth(
    'depends',
    (right, wrong) => `If the bounds are inclusive, the answer is ${right}; otherwise it is ${wrong}.`,
  ),
  withBoth('slash', (right, wrong) => `Answer: ${right} / ${wrong}`),
  withBoth('options', (right, wrong) => `A) ${wrong}\nB) ${right}`),
  withBoth('two-bullets', (right, wrong) => `Answer:\n- ${right}\n- ${wrong}`),
  withBoth(
    'two-methods',
    (right, wrong) => `Method 1 gives ${right}. Method 2 gives ${wrong}. I don't know which one applies.`,
  ),
  {
    name: 'json-two-answers',
    write: (answer, pick) => `{"answers": [${asJson(answer)}, ${asJson(pickWrongAnswer(answer, pick))}]}`,
  },
];

const retracted: readonly AnswerStyle[] = [
  withBoth('wait-no', (right, wrong) => `${right}. Wait, no: ${wrong}`),
  withBoth('correction', (right, wrong) => `Answer: ${right}\n\nCorrection: the answer is ${wrong}.`),
  withBoth('answered-twice', (right, wrong) => `Answer: ${right}\nAnswer: ${wrong}`),
  withBoth('strikethrough', (right, wrong) => `Answer: ~~${right}~~ **${wrong}**`),
  withBoth('struck-out-html', (right, wrong) => `<p>Answer: <s>${right}</s> <b>${wrong}</b></p>`),
  withBoth('withdrawn', (right) => `${right}\n\nHmm, on second thought that is wrong. I don't know.`),
  withBoth('scratch-that', (right, wrong) => `Final answer: ${right}. Scratch that. Final answer: ${wrong}.`),
  withBoth('edited', (right, wrong) => `**Answer:** ${right}\n\nEdit: I misread rule 2, it is ${wrong}.`),
  withBoth(
    'boxed-twice',
    (_right, wrong, _pick, { text }) =>
      String.raw`$\boxed{${text}}$ is what I got first, but the correct result is $\boxed{${wrong}}$.`,
  ),
];

const negated: readonly AnswerStyle[] = [
  withBoth('not', (right) => `not ${right}`),
  withBoth('labelled-not', (right) => `Answer: not ${right}`),
  withBoth('is-not', (right, _wrong, pick) => pick([`The answer is not ${right}.`, `It isn't ${right}.`])),
  withBoth('other-one-not', (right, wrong) => `Answer: ${wrong}, not ${right}`),
  withBoth('anything-but', (right) => `Anything but ${right}.`),
  withBoth('is-wrong', (right) => `${right} is wrong.`),
  withBoth('crossed', (right, wrong) => `❌ ${right}\n✅ ${wrong}`),
  {
    name: 'json-rejected',
    write: (answer, pick) =>
      `{"answer": ${asJson(pickWrongAnswer(answer, pick))}, "rejected": ${asJson(answer)}}`,
  },
];

const onlyInWorking: readonly AnswerStyle[] = [
  withBoth(
    'think-right-say-wrong',
    (right, wrong) => `<think>\nIt must be ${right}.\n</think>\n\nAnswer: ${wrong}`,
  ),
  withBoth('think-answer-line', (right, wrong) => `<think>\nAnswer: ${right}\n</think>\n\n${wrong}`),
  withBoth(
    'think-boxed',
    (_right, wrong, _pick, { text }) =>
      String.raw`<think>\boxed{${text}}</think>The answer is \boxed{${wrong}}`,
  ),
  withBoth('think-then-refuse', (right) => `<think>It is ${right}.</think>\n\nI'm not able to answer that.`),
  withBoth('think-then-nothing', (right) => `<think>\nThe answer is ${right}.\n</think>\n\n`),
  withBoth(
    'think-cut-off',
    (right, wrong) => `<think>\nFirst guess: ${right}. But then rule 3 gives ${wrong}, so`,
  ),
  withBoth('work-right-say-wrong', (right, wrong) => `The sum leads to ${right}.\n\nAnswer: ${wrong}`),
  withBoth(
    'observe-right-say-wrong',
    (right, wrong) => `Action: solve\nObservation: ${right}\nThought: Done.\nFinal Answer: ${wrong}`,
  ),
  withBoth(
    'analysis-channel-only',
    (right, wrong) =>
      `<|channel|>analysis<|message|>It is ${right}.<|end|><|start|>assistant<|channel|>final<|message|>${wrong}<|return|>`,
  ),
];

const promptEnd =
  'Reply with it and nothing else, or end your reply with a line that starts with `Answer:` followed by it.';

const withoutAnswer: readonly AnswerStyle[] = [
  { name: 'empty', write: (_answer, pick) => pick(['', ' ', '\n\n']) },
  { name: 'label-only', write: (_answer, pick) => pick(['Answer:', '**Answer:**', '<answer></answer>']) },
  {
    name: 'placeholder',
    write: (_answer, pick) => pick(['Answer: <answer>', 'Answer: ...', 'Answer: [your answer]']),
  },
  { name: 'refusal', write: () => "I'm sorry, but I can't help with that." },
  {
    name: 'unknown',
    write: (_answer, pick) => pick(["Answer: I don't know", 'Answer: N/A', 'Answer: unclear']),
  },
  { name: 'working-only', write: (answer) => `${writeWorking(answer)[0]} Let me check the rest` },
  { name: 'prompt-echo', write: () => `Apply the rules to the table. What is the result? ${promptEnd}` },
  withBoth(
    'prompt-echo-with-options',
    (right, wrong) => `Which of these fits all 3 rules: ${wrong}; ${right}? ${promptEnd}`,
  ),
  {
    name: 'tool-call',
    write: () => '<tool_call>\n{"name": "solve", "arguments": {"rows": 12, "rule": 3}}\n</tool_call>',
  },
  {
    name: 'code',
    write: (answer) =>
      answer.type === 'number'
        ? fence(`print(${unevaluated(answer.text)})`, 'python')
        : fence(
            `print(${JSON.stringify(`#${Array.from(answer.text).toReversed().join('')}`)}[:0:-1])`,
            'python',
          ),
  },
];

const wrongValues: readonly AnswerStyle[] = answerStyles.map((style) => ({
  ...style,
  name: `wrong-value-${style.name}`,
  write: (answer, pick) => style.write(pickWrongAnswer(answer, pick), pick),
}));

export const wrongReplies: readonly AnswerStyle[] = [
  ...hedged,
  ...retracted,
  ...negated,
  ...onlyInWorking,
  ...withoutAnswer,
  ...wrongByType,
  ...wrongValues,
];
