/** Ways in which an agent may present a right or wrong answer, for testing the graders of a pack. */

/** In each of these, the agent gives the answer. */
export const answerStyles: readonly ((value: string) => string)[] = [
  (value) => value,
  (value) => `Answer: ${value}`,
  (value) => `**Answer:** ${value}`,
  (value) => `**Answer: ${value}**`,
  (value) => `Final answer: **${value}**`,
  (value) => `The answer is ${value}.`,
  (value) => `# Answer\n\n${value}`,
  (value) => `Let me work it out first.\n\nThen I checked it.\n\nAnswer: ${value}`,
  (value) => `<think>Is it something else? No.</think>\nAnswer: ${value}`,
  (value) => `<answer>${value}</answer>`,
  (value) => `Answer: \`${value}\``,
  (value) => `Answer:\r\n\r\n${value}\r\n`,
  (value) => `Answer: ${value} ✅`,
  (value) => `Answer: ${value}\n\nLet me know if you need anything else!`,
];

/** In none of these, the agent commits to the answer. */
export const wrongStyles: readonly ((value: string, other: string) => string)[] = [
  (value, other) => `Answer: ${value} or ${other}`,
  (value) => `The answer is not ${value}.`,
  (value) => `<think>The answer is ${value}.`,
  (value, other) => `Answer: ${value}\n\nWait, that is wrong.\n\nAnswer: ${other}`,
  (value, other) => `<think>Answer: ${value}</think>Answer: ${other}`,
  (_value, other) => `**Answer:** ${other}`,
];
