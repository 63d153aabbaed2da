/** What a host is told about a name that does not exist: the nearest one, or all of them. */
import { ProtocolError, ProtocolErrorCode } from '@modelcontextprotocol/server';
import { nearestName } from '#runtime/validation-messages.ts';

const shownMax = 60;

export function unknownName(kind: 'tool' | 'prompt', given: string, known: readonly string[]): ProtocolError {
  const nearest = nearestName(given, known);
  const way = nearest === null ? `They are: ${known.join(', ')}.` : `Did you mean ${nearest}?`;
  return new ProtocolError(
    ProtocolErrorCode.InvalidParams,
    `There is no ${kind} named ${given.slice(0, shownMax)}. ${way}`,
  );
}
