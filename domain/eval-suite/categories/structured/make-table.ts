/** Write sales notes as sorted CSV with a computed column, quoted where RFC 4180 requires it. */
import { graderSpec } from '../../graders/grader.ts';
import { csvEquals, csvForm } from './graders/csv.ts';
import type { CaseDraft, Difficulty } from '../../eval-case.ts';
import { inventName, inventNames, inventWord } from '../../language/invented-word.ts';
import { byDifficulty } from '../../language/spread-difficulties.ts';
import type { Random } from '../../random.ts';

interface Sale {
  readonly item: string;
  readonly seller: string;
  readonly quantity: number;
  readonly price: number;
}

export function makeTable(random: Random, difficulty: Difficulty): CaseDraft {
  const sales = makeSales(random, byDifficulty(difficulty, 3, 5, 8));
  const order = random.pick([
    {
      text: 'by quantity, largest first',
      compare: (left: Sale, right: Sale) => right.quantity - left.quantity,
    },
    {
      text: 'by quantity, smallest first',
      compare: (left: Sale, right: Sale) => left.quantity - right.quantity,
    },
  ]);
  const header = ['item', 'seller', 'quantity', 'price', 'total'];
  const rows = sales
    .toSorted(order.compare)
    .map((sale) => [
      sale.item,
      sale.seller,
      ...[sale.quantity, sale.price, sale.quantity * sale.price].map(String),
    ]);
  const expected = [header, ...rows];
  const notes = sales.map((sale) =>
    random.pick([
      `- ${sale.seller} sold ${sale.quantity} of the article [${sale.item}] at ${sale.price} marks each.`,
      `- Article [${sale.item}], price ${sale.price} marks apiece: ${sale.quantity} were sold by ${sale.seller}.`,
    ]),
  );
  const rules = [
    `Write these sales as CSV (RFC 4180) with the header ${header.join(',')} and one record per sale, sorted ${order.text}.`,
    'An article is named inside square brackets; leave the brackets out and keep everything inside them as it is. "total" is quantity times price.',
    'Separate fields with commas, put a field in double quotes where it holds a comma or a double quote, and write such a double quote twice. Put no spaces around the commas between fields.',
  ];
  return {
    kind: 'csv',
    difficulty,
    prompt: `${random.shuffle(rules.slice(0, 2)).join(' ')} ${rules[2] ?? ''}\n\n${notes.join('\n')}\n\nReply with the CSV alone: no code fence and no other text.`,
    graders: [graderSpec(csvForm, { columns: header.length }, 1), graderSpec(csvEquals, { expected }, 3)],
    scoring: 'weighted',
    expected: expected.map((row) => row.map(writeField).join(',')).join('\n'),
  };
}

function makeSales(random: Random, count: number): Sale[] {
  const sellers = inventNames(random, 3);
  const quantities = random.sample(
    Array.from({ length: 190 }, (_, number) => number + 5),
    count,
  );
  return quantities.map((quantity, position) => ({
    item: makeItem(random, position),
    seller: random.pick(sellers),
    quantity,
    price: random.int(3, 99),
  }));
}

/** The first two items always need quotes, so that every table tests quoting. */
function makeItem(random: Random, position: number): string {
  const [word, name] = [inventWord(random), inventName(random)];
  if (position === 0) return `${word}, ${random.pick(['large', 'grey', 'old', 'salted'])}`;
  if (position === 1) return `${random.int(2, 24)}" ${word}`;
  return random.pick([word, `${name} ${word}`, `${word}, from ${name}`, `${word} "${name}"`]);
}

function writeField(field: string): string {
  return /[",]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field;
}
