import { createRandom } from '#evals/suite/random.ts';
import { categories } from '#evals/suite/index.ts';
const [cat='', kind='', level='3', seed='1'] = process.argv.slice(2);
const k = categories.find(c=>c.name===cat)!.kinds.find(k=>k.name===kind)!;
const t = k.make(createRandom(seed,'x'), Number(level) as 1, {maxPromptTokens: 8000});
console.log(t.turns.join('\n-----\n')); console.log('=>', t.expected);
