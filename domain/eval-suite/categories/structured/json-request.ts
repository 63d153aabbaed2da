/** JSON as a prompt shows it. */
import type { JsonValue } from '../../graders/read-json.ts';

export function showJson(value: JsonValue): string {
  return JSON.stringify(value, null, 2);
}

/** Ends the prompts of tasks that grade `bare-json`. */
export const bareJsonRequest =
  'Reply with the JSON alone: no code fence, no comment and no other text before or after it.';
