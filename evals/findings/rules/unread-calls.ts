/** Tool calls that no protocol has, so that the hub cannot answer them. */
import { unreadCallCode } from '#evals/stored-item.ts';
import { foundIn, type Rule } from '../rule.ts';

export const unreadCalls: Rule = (seen) =>
  foundIn(
    seen.filter(({ error }) => error?.code === unreadCallCode),
    'Tool calls come back as text, or in a field that the protocol does not have.',
    "Return tool calls in the protocol's own field, as the model server reports them.",
  );
