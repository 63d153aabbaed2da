/** The conversation that a case begins with: texts, images, and tool calls with their results. */
import type { ConversationMessage } from '../worlds/world.ts';
import type { CaseMessage, SentMessage } from './document.ts';
import type { Fault, Path } from './fault.ts';

/** Rules about `messages` that have the form of `CaseShape`. Faults begin at the list. */
export function checkMessages(messages: readonly (CaseMessage | SentMessage)[]): readonly Fault[] {
  const faults: Fault[] = [];
  const add = (path: Path, message: string) => faults.push({ path, message });
  let open = new Set<string>();
  for (const [at, message] of messages.entries()) {
    const { role, content, images, tool_calls: calls = [], tool_call_id: id } = message;
    if (images !== undefined && role !== 'user')
      add([at, 'images'], 'Only messages of the role `user` have images.');
    if (calls.length > 0 && role !== 'assistant')
      add([at, 'tool_calls'], 'Only a message of the assistant has `tool_calls`.');
    if (content === '' && role !== 'tool' && calls.length === 0)
      add([at, 'content'], 'The `content` of a message without `tool_calls` must not be empty.');
    if (role === 'tool') {
      if (id === undefined || !open.delete(id))
        add(
          [at],
          'The `tool_call_id` of a result must be the `id` of a call in the message before the results.',
        );
      continue;
    }
    if (id !== undefined)
      add([at, 'tool_call_id'], 'Only a message of the role `tool` has a `tool_call_id`.');
    if (open.size > 0)
      add([at], `The result of the call ${[...open].join(', ')} is missing before this message.`);
    open = new Set(calls.map((call) => call.id));
    if (open.size < calls.length) add([at, 'tool_calls'], 'The `id`s of `tool_calls` must differ.');
  }
  if (messages.at(-1)?.role !== 'user') add([], 'The last of `messages` must have the role `user`.');
  return faults;
}

/** Without those of the role `system`. */
export function saidIn(messages: readonly CaseMessage[]): readonly ConversationMessage[] {
  return messages.flatMap(
    ({ role, content, images, tool_calls: calls, tool_call_id: id = '' }): ConversationMessage[] => {
      switch (role) {
        case 'system':
          return [];
        case 'user':
          return [{ role, content, ...(images === undefined ? {} : { images }) }];
        case 'tool':
          return [{ role, id, content }];
        case 'assistant':
          return [
            {
              role,
              content,
              ...(calls === undefined
                ? {}
                : { calls: calls.map((call) => ({ ...call, arguments: call.arguments ?? {} })) }),
            },
          ];
      }
    },
  );
}

export interface SaidMessage {
  readonly role: CaseMessage['role'];
  readonly content: string;
  readonly tool_calls?: readonly { readonly name: string; readonly arguments?: unknown }[];
}

/** For people and for judges: calls are below what was said. */
export function textOfMessage({ role, content, tool_calls: calls = [] }: SaidMessage): string {
  const called = calls.map(({ name, arguments: given = {} }) => `${name} ${JSON.stringify(given)}`);
  return [`[${role}]`, ...(content === '' ? [] : [content]), ...called].join('\n');
}
