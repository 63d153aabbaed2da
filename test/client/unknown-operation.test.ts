import { expect, test } from 'bun:test';
import { Hub } from '#client/hub.ts';

test.each(['get_agent', 'toString'])(
  'a call of an unknown operation (%s) says where the names are',
  async (name) => {
    const hub = new Hub('http://127.0.0.1:9/');
    // A program without types can pass any name.
    const call = hub.call(name as 'logIn', { handle: 'ada-7' });
    await expect(call).rejects.toThrow(
      `There is no operation \`${name}\`. http://127.0.0.1:9/openapi-agents.json names them all.`,
    );
  },
);
