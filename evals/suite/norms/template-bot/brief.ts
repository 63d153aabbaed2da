/** The report on workshops: one stock sentence for each, in the order that is asked for. */

interface Workshop {
  readonly town: string;
  readonly keeper: string;
  readonly trade: string;
  figure: number;
  readonly wares: string;
}

const FORMS = [
  /^- (?<keeper>\w+) keeps the (?<trade>\w+) in (?<town>\w+), which made (?<figure>\d+) (?<wares>\w+)\.$/,
  /^- (?<town>\w+): (?<trade>\w+), kept by (?<keeper>\w+), (?<figure>\d+) (?<wares>\w+)\.$/,
  /^- (?<figure>\d+) (?<wares>\w+) came from the (?<trade>\w+) in (?<town>\w+) \(keeper: (?<keeper>\w+)\)\.$/,
];

function readWorkshops(text: string): Workshop[] {
  const shops = new Map<string, Workshop>();
  for (const line of text.split('\n')) {
    const corrected = /the figure for (\w+) is (\d+)/.exec(line);
    const shop = shops.get(corrected?.[1] ?? '');
    if (shop) shop.figure = Number(corrected?.[2]);
    shops.delete(/The report from (\w+) was withdrawn/.exec(line)?.[1] ?? '');
    const groups = FORMS.map((form) => form.exec(line)?.groups).find((found) => found !== undefined);
    if (!groups) continue;
    const town = groups['town'] ?? '';
    const { keeper = '', trade = '', wares = '', figure = '0' } = groups;
    shops.set(town, { town, keeper, trade, wares, figure: Number(figure) });
  }
  return [...shops.values()];
}

export function brief(text: string): string | undefined {
  if (!/workshops below/.test(text)) return undefined;
  const shops = readWorkshops(text);
  const down = /from the largest figure to the smallest/.test(text);
  if (/alphabetical order of the (\w+)/.test(text)) {
    const key = /order of the keepers/.test(text)
      ? 'keeper'
      : /order of the trades/.test(text)
        ? 'trade'
        : 'town';
    shops.sort((a, b) => (a[key] < b[key] ? -1 : 1));
    if (/reverse alphabetical/.test(text)) shops.reverse();
  } else if (/figure/.test(text) && /from the (largest|smallest) figure/.test(text)) {
    shops.sort((a, b) => (down ? b.figure - a.figure : a.figure - b.figure));
  }
  const paragraphs = shops.map(
    (shop) =>
      `In ${shop.town} the ${shop.trade} is kept by ${shop.keeper}, and over the whole season it made ${shop.figure} ${shop.wares} in all.`,
  );
  const figures = shops.map((shop) => shop.figure);
  const sum = figures.reduce((total, figure) => total + figure, 0);
  if (/the sum of all figures/.test(text)) {
    const apart = /the difference between/.test(text)
      ? `, while the largest and the smallest of them lie ${Math.max(...figures) - Math.min(...figures)} apart`
      : '';
    paragraphs.push(
      `Taken together, all of these figures add up to a sum of ${sum} for the whole season${apart}.`,
    );
  }
  return paragraphs.join('\n\n');
}
