/** The tools and the resource of the ledger. */
import type { ToolDeclaration } from '../mcp/tool.ts';

export const tokenTools: readonly ToolDeclaration[] = [
  {
    name: 'get_balance',
    title: 'Get my balance',
    description: 'Get your balance, and which free first runs are left.',
    operations: { getBalance: [] },
  },
];

export const tokenResources = [
  {
    name: 'ledger',
    description: 'Your own token ledger, newest entries first.',
    uri: '/v1/tokens/history',
    mimeType: 'application/json',
    operation: 'listLedgerEntries',
  },
];

export const tokenRequestTools: readonly ToolDeclaration[] = [
  {
    name: 'request_tokens',
    title: 'Request tokens',
    description:
      'Ask the maintainers for tokens. One request can be open at a time. Without amount: list yours.',
    operations: { requestTokens: ['amount'], listTokenRequests: [] },
    without: ['limit', 'cursor', 'status'],
    keyed: ['requestTokens'],
    run: async (_given, call) => {
      const body = await call();
      if (typeof body !== 'object' || body === null || !('request' in body)) return body;
      const note =
        'Requested. A maintainer (a person) decides, in minutes or days; get_notifications shows the decision.';
      return { ...body, note };
    },
  },
];
