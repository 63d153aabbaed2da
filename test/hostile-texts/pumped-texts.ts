/**
 * Texts that make a regular expression work, from its own source: each part that repeats is repeated many times, after an
 * example of what comes before it, and before a character that ends the match.
 */

type Node =
  | { readonly kind: 'text'; readonly samples: readonly string[] }
  | { readonly kind: 'any'; readonly of: readonly (readonly Node[])[] }
  | { readonly kind: 'repeat'; readonly node: Node; readonly min: number; readonly max: number };

/** Repeats that end sooner cost little. */
const longRepeat = 16;

/** Members of a class such as `\w`, and what other escapes stand for. */
const classes = { d: '07', D: 'a ', w: 'a0_', W: ' -', s: ' \n\t', S: 'a-' };
const escapes = { ...classes, n: '\n', r: '\r', t: '\t', 0: '\0' };
/** Members of a property such as `\p{Lu}`; those of `Nd` are those of `N`. */
const kinds = { L: 'aß', Lu: 'A', N: '0', M: '\u0301', P: '-.', S: '+', Z: ' ', Cc: '\u0001', Cf: '\u200b' };
const printable = Array.from({ length: 95 }, (_, at) => String.fromCharCode(32 + at));

function membersOf(table: Readonly<Record<string, string>>, name = ''): readonly string[] | undefined {
  const members = table[name];
  return members === undefined ? undefined : Array.from(members);
}

class Reader {
  readonly #source: string;
  readonly #groups: Node[] = [];
  #at = 0;

  constructor(source: string) {
    this.#source = source;
  }

  readAlternatives(): Node {
    const of: Node[][] = [[]];
    while (this.#at < this.#source.length && this.#peek() !== ')') {
      if (this.#take('|')) of.push([]);
      else of.at(-1)?.push(this.#readRepeat());
    }
    return { kind: 'any', of };
  }

  #peek = (length = 1): string => this.#source.slice(this.#at, this.#at + length);

  #take(mark: string): boolean {
    if (this.#peek(mark.length) !== mark) return false;
    this.#at += mark.length;
    return true;
  }

  #match(pattern: RegExp): RegExpExecArray | null {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#source);
    if (found !== null) this.#at = pattern.lastIndex;
    return found;
  }

  #readRepeat(): Node {
    const node = this.#readAtom();
    const found = this.#match(/(?:([*+?])|\{(\d+)(,?)(\d*)\})\??/y);
    if (found === null) return node;
    const [, mark, least = '0', comma, most = ''] = found;
    if (mark === '*') return { kind: 'repeat', node, min: 0, max: Infinity };
    if (mark === '+') return { kind: 'repeat', node, min: 1, max: Infinity };
    if (mark === '?') return { kind: 'repeat', node, min: 0, max: 1 };
    const max = comma === '' ? Number(least) : most === '' ? Infinity : Number(most);
    return { kind: 'repeat', node, min: Number(least), max };
  }

  #readAtom(): Node {
    if (this.#take('[')) return { kind: 'text', samples: this.#readClass() };
    if (this.#match(/\^|\$/y) !== null) return { kind: 'text', samples: [''] };
    if (this.#take('.')) return { kind: 'text', samples: ['a', ' ', '.'] };
    if (this.#peek() === '(') return this.#readGroup();
    if (this.#peek() === '\\') return this.#readEscape();
    const [mark = ''] = this.#source.slice(this.#at);
    this.#at += mark.length;
    return { kind: 'text', samples: [mark] };
  }

  #readGroup(): Node {
    const [, look] = this.#match(/\((?:\?(?:(<?[=!])|<\w+>|[\w-]*:))?/y) ?? [];
    const inside = this.readAlternatives();
    this.#take(')');
    this.#groups.push(inside);
    return look === undefined ? inside : nothing;
  }

  #readEscape(): Node {
    const named = this.#match(/\\[pP]\{(?:\w+=)?(\w+)\}/y);
    if (named !== null) {
      const [, name = ''] = named;
      return { kind: 'text', samples: membersOf(kinds, name) ?? membersOf(kinds, name[0]) ?? ['a'] };
    }
    const coded = this.#match(/\\(?:u\{([\da-f]+)\}|u([\da-f]{4})|x([\da-f]{2}))/iy);
    if (coded !== null) {
      const [, braced, four, two] = coded;
      return { kind: 'text', samples: [String.fromCodePoint(parseInt(braced ?? four ?? two ?? '', 16))] };
    }
    const back = this.#match(/\\(?:([1-9])|k<\w+>)/y);
    if (back !== null) return this.#groups[Number(back[1] ?? 1) - 1] ?? nothing;
    const mark = this.#source[this.#at + 1] ?? '';
    this.#at += 2;
    if (/b/i.test(mark)) return nothing;
    return { kind: 'text', samples: membersOf(escapes, mark) ?? [mark] };
  }

  #readClass(): readonly string[] {
    const isNegated = this.#take('^');
    const members: string[] = [];
    while (this.#at < this.#source.length && !this.#take(']')) {
      if (this.#take('[')) {
        members.push(...this.#readClass());
        continue;
      }
      this.#match(/--|&&/y);
      if (this.#peek() === '\\') {
        const node = this.#readEscape();
        if (node.kind === 'text') members.push(...node.samples);
        continue;
      }
      const [mark = ''] = this.#source.slice(this.#at);
      this.#at += mark.length || 1;
      members.push(mark);
    }
    if (!isNegated) return members.length === 0 ? ['a'] : members;
    return ['a', ' ', '0', ...printable].filter((one) => !members.includes(one)).slice(0, 4);
  }
}

const nothing: Node = { kind: 'text', samples: [''] };

/** @param pick chooses a number below its argument */
function exampleOf(node: Node, pick: (below: number) => number): string {
  switch (node.kind) {
    case 'text':
      return node.samples[pick(node.samples.length)] ?? '';
    case 'any':
      return (node.of[pick(node.of.length)] ?? []).map((one) => exampleOf(one, pick)).join('');
    case 'repeat':
      return Array.from({ length: Math.min(node.min, longRepeat) }, () => exampleOf(node.node, pick)).join(
        '',
      );
  }
}

/** Each part that may repeat for long, after an example of what comes before it. */
function* repeats(
  node: Node,
  before: string,
  pick: (below: number) => number,
): Generator<{ readonly before: string; readonly node: Node }> {
  switch (node.kind) {
    case 'text':
      return;
    case 'any':
      for (const parts of node.of) {
        let ahead = before;
        for (const part of parts) {
          yield* repeats(part, ahead, pick);
          ahead += exampleOf(part, pick);
        }
      }
      return;
    case 'repeat':
      if (node.max > longRepeat) yield { before, node: node.node };
      yield* repeats(node.node, before, pick);
  }
}

const endings = ['', '\u0001', 'a', ' ', '\n\u0001'];

/** @param pick chooses a number below its argument; another one makes other texts */
export function pumpedTexts(
  { source }: Pick<RegExp, 'source'>,
  length: number,
  pick: (below: number) => number,
): readonly string[] {
  const texts = new Set<string>();
  for (const { before, node } of repeats(new Reader(source).readAlternatives(), '', pick)) {
    const piece = exampleOf(node, pick);
    if (piece === '') continue;
    const pumped = before + piece.repeat(Math.ceil(length / piece.length));
    texts.add(pumped + (endings[pick(endings.length)] ?? ''));
    texts.add(`${pumped}\u0001`);
    // Where matches may begin anywhere, each beginning costs.
    if (before !== '') texts.add((before + piece).repeat(Math.ceil(length / (before.length + piece.length))));
  }
  return [...texts];
}
