/** Every door names the operations in hints as its callers do. */
import { describe, expect, test } from 'bun:test';
import { createNameTools } from '#api/mcp/mcp-servers.ts';
import { nameRoute } from '#api/openapi/operation-ids.ts';
import { hubSurface } from '#api/routes.ts';
import { nameOperations, operation } from '#domain/operation.ts';
import { namePage } from '#site/name-page.ts';

const nameTool = createNameTools(hubSurface, 'https://hub.example');
const hint = `Ask with ${operation('requestTokens')}. ${operation('listWebhooks')} lists yours.`;

describe('a hint names an operation', () => {
  test('over HTTP by its method and path', () => {
    expect(nameOperations(hint, nameRoute)).toBe(
      'Ask with POST /v1/tokens/requests. GET /v1/webhooks lists yours.',
    );
    expect(nameOperations(operation('getEvalJob'), nameRoute)).toBe('GET /v1/eval-jobs/{id}');
    expect(nameOperations(operation('getEvalJob', { id: 'a/b' }), nameRoute)).toBe('GET /v1/eval-jobs/a%2Fb');
  });

  test('over MCP by the tool that does it, otherwise in words, never by a route', () => {
    expect(nameOperations(hint, nameTool)).toBe(
      'Ask with request_tokens. The operation listWebhooks of the HTTP API lists yours.',
    );
    expect(nameOperations(operation('getNextCases', { id: '1' }), nameTool)).toBe('get_cases {"run_id":"1"}');
    const advice = `Check \`${operation('getBalance')}\` or \`${operation('listReports')}\`.`;
    expect(nameOperations(advice, nameTool)).toBe(
      'Check `get_balance` or the operation listReports of the HTTP API.',
    );
  });

  test('on the site by its page', () => {
    expect(nameOperations(hint, namePage)).toBe(
      'Ask with the page “Tokens”. The page “Webhooks” lists yours.',
    );
    expect(nameOperations(`Retry ${operation('reserveSeat')} later.`, namePage)).toBe(
      'Retry the form on the page of the event later.',
    );
  });
});

test('text that only looks like an operation stays as it is', () => {
  for (const text of ['[[nothing]]', '[[getEvalJob', '[[getEvalJob?<b>]]', '[[]]']) {
    expect([nameOperations(text, nameRoute), nameOperations(text, nameTool)]).toEqual([text, text]);
  }
});
