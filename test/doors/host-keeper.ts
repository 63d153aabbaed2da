/** What a host keeps for the OAuth of an MCP client, where it sends its owner, and the page to which the owner returns. */
import { afterAll } from 'bun:test';
import type { OAuthClientProvider } from '@modelcontextprotocol/client';

export class HostKeeper implements OAuthClientProvider {
  readonly redirectUrl: string;
  readonly clientMetadata;
  readonly kept = new Map<string, unknown>();
  /** Where the owner decides. */
  asked: URL | null = null;

  constructor(redirectUrl: string) {
    this.redirectUrl = redirectUrl;
    this.clientMetadata = {
      client_name: 'A desktop host',
      redirect_uris: [redirectUrl],
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    };
  }

  state = (): string => 'state-of-this-host';
  // The client reads what it has saved.
  clientInformation = () => this.kept.get('client') as never;
  saveClientInformation = (client: unknown): void => void this.kept.set('client', client);
  tokens = () => this.kept.get('tokens') as never;
  saveTokens = (tokens: unknown): void => void this.kept.set('tokens', tokens);
  codeVerifier = (): string => String(this.kept.get('verifier'));
  saveCodeVerifier = (verifier: string): void => void this.kept.set('verifier', verifier);
  discoveryState = () => this.kept.get('discovery') as never;
  saveDiscoveryState = (found: unknown): void => void this.kept.set('discovery', found);
  redirectToAuthorization = (url: URL): void => {
    this.asked = url;
  };
}

/**
 * Serves the page of a host to which its owner returns, for the tests of a file or a group.
 * @returns its origin
 */
export function useReturnPage(): string {
  const page = '<link rel=icon href="data:,"><p>Return to the program.';
  const server = Bun.serve({
    hostname: '127.0.0.1',
    port: 0,
    fetch: () => new Response(page, { headers: { 'content-type': 'text/html' } }),
  });
  afterAll(() => server.stop(true));
  return server.url.origin;
}
