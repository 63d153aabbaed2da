/** Faults in statements: an omitted statement, or a subtraction instead of an addition. */
import { type Edit, isNode, type Node, nodesOf } from './syntax.ts';

/** Expressions with an effect. */
const effects = new Set([
  'CallExpression',
  'AwaitExpression',
  'AssignmentExpression',
  'UpdateExpression',
  'UnaryExpression',
]);

const assignments: Readonly<Record<string, string>> = { '+=': '-=', '-=': '+=' };

/**
 * @param onlyOnes the only statements of `if`s without `else`: omitting one is the same as making the
 * condition false
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

/** A crash point does nothing outside crash tests. */
function isCrashPoint({ callee }: Node): boolean {
  return isNode(callee) && callee['name'] === 'crashPoint';
}

/** The only statement of an `if` without `else`, or null. */
export function onlyStatementOf(node: Node): Node | null {
  if (node.type !== 'IfStatement' || isNode(node['alternate'])) return null;
  const { consequent } = node;
  if (!isNode(consequent)) return null;
  if (consequent.type !== 'BlockStatement') return consequent;
  const statements = nodesOf(consequent['body']);
  return statements.length === 1 ? (statements[0] ?? null) : null;
}
