/** Creates the mutants of a source file: copies with one small, typical fault each. */
import { parseSync } from 'oxc-parser';
import { expressionEdits } from './expression-edits.ts';
import { queryEdits, queryWordsOf } from './query-edits.ts';
import { onlyStatementOf, statementEdits } from './statement-edits.ts';
import { type Edit, isNode, type Node } from './syntax.ts';

export interface Mutant {
  readonly file: string;
  /** From 1. */
  readonly line: number;
  /** For example `< → <=`. */
  readonly change: string;
  /** The whole file with the fault. */
  readonly source: string;
}

export function findMutants(file: string, source: string): Mutant[] {
  // The parser's types list every kind of node; here only `type` distinguishes them.
  const program = parseSync(file, source).program as unknown as Node;
  const queryWords = queryWordsOf(program);
  const onlyOnes = new Set<Node>();
  const edits: Edit[] = [];
  walk(program, (node) => {
    const only = onlyStatementOf(node);
    if (only !== null) onlyOnes.add(only);
    edits.push(
      ...expressionEdits(node, source),
      ...statementEdits(node, source, onlyOnes),
      ...queryEdits(node, source, queryWords),
    );
  });
  return edits.map((edit) => ({
    file,
    line: source.slice(0, edit.start).split('\n').length,
    change: `${source.slice(edit.start, edit.end)} → ${edit.text}`.replaceAll(/\s+/g, ' '),
    source: carryOut(edit, source),
  }));
}

/**
 * An import gets a name that the file cannot contain, and goes to the end so that line numbers stay the same.
 */
function carryOut({ start, end, text, importedFrom }: Edit, source: string): string {
  const name = importedFrom === undefined ? text : `${text}Instead`;
  const line = importedFrom === undefined ? '' : `import { ${text} as ${name} } from '${importedFrom}';`;
  return source.slice(0, start) + name + source.slice(end) + line;
}

/** Visits parents first. */
function walk(node: Node, visit: (node: Node) => void): void {
  // Types do not exist at run time.
  if (node.type.startsWith('TS') && !['TSAsExpression', 'TSNonNullExpression'].includes(node.type)) return;
  visit(node);
  for (const value of Object.values(node)) {
    for (const child of Array.isArray(value) ? value : [value]) if (isNode(child)) walk(child, visit);
  }
}
