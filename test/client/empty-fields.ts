/** Fields of replies that say nothing, as SDKs write them. */
const values = [null, '', false, 0, [], {}, { code: '', name: '', arguments: {}, message: null }];

export const emptyFields = [
  ...values.map((error) => ({ error })),
  { error: { code: 0, message: 'ok' } },
  ...['tool_calls', 'toolCalls', 'function_call', 'functionCall', 'toolUse'].flatMap((name) =>
    values.map((value) => ({ [name]: value })),
  ),
];
