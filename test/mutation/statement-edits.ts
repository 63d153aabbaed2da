/** Faults in statements: one is forgotten, or adds where it should take away. */
import { type Edit, isNode, type Node, nodesOf } from './syntax.ts';

/** What has an effect when it stands alone. */
const effects = new Set([
  'CallExpression',
  'AwaitExpression',
  'AssignmentExpression',
  'UpdateExpression',
  'UnaryExpression',
]);

const assignments: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=' };

/**
 * @param onlyOnes the statements that an `if` without `else` has alone: without them it does what it does when its
 * condition is false, which is a mutant of the condition
 */
export function statementEdits(node: Node, source: string, onlyOnes: ReadonlySet<Node>): Edit[] {
  const without: Edit = { start: node.start, end: node.end, text: ';' };
  switch (node.type) {
    case 'ExpressionStatement': {
      const { expression } = node;
      if (!isNode(expression) || !effects.has(expression.type) || onlyOnes.has(node)) return [];
      return isCrashPoint(expression) ? [] : [without];
    }
    case 'ThrowStatement':
      return onlyOnes.has(node) ? [] : [without];
    case 'AssignmentExpression': {
      const operator = String(node['operator']);
      const other = assignments[operator];
      if (other === undefined || !isNode(node['left'])) return [];
      const start = source.indexOf(operator, node['left'].end);
      return [{ start, end: start + operator.length, text: other }];
    }
    // Every other kind of node stays as it is.
    // oxlint-disable-next-line typescript/switch-exhaustiveness-check
    default:
      return [];
  }
}

/** Names a step for the tests that have processes die there, and does nothing otherwise. */
function isCrashPoint({ callee }: Node): boolean {
  return isNode(callee) && callee['name'] === 'crashPoint';
}

/** The one statement that an `if` without `else` decides about, or null. */
export function onlyStatementOf(node: Node): Node | null {
  if (node.type !== 'IfStatement' || isNode(node['alternate'])) return null;
  const { consequent } = node;
  if (!isNode(consequent)) return null;
  if (consequent.type !== 'BlockStatement') return consequent;
  const statements = nodesOf(consequent['body']);
  return statements.length === 1 ? (statements[0] ?? null) : null;
}
