/**
 * What stops each attack on OAuth and on signing in with a key, and the test that fails without it. `npm run mutate -- --area
 * oauth` removes the defences one at a time.
 */

export interface Defence {
  readonly attack: string;
  readonly file: string;
  /** The code of the defence, which occurs once in the file. */
  readonly code: string;
  /** What is left without it. */
  readonly without: string;
  /** The beginning of the name of a test. */
  readonly test: readonly [file: string, name: string];
}

const attacks = 'test/api/oauth/attacks.test.ts';
const documents = 'test/api/oauth/client-documents.test.ts';
const races = 'test/api/oauth/races.test.ts';
const keys = 'test/site/journey-key.test.ts';
const sessions = 'test/domain/sessions/key-sign-in.test.ts';

export const defences: readonly Defence[] = [
  {
    attack: 'a code is replayed, to act beside the client',
    file: 'domain/oauth/issue-grant.ts',
    code: `if (found.usedAt !== null) {
    await revokeGivenBy(ctx, found.id);`,
    without: 'if (found.usedAt !== null) {',
    test: [attacks, 'that is used again revokes what it gave'],
  },
  {
    attack: 'a code is used twice at the same moment',
    file: 'domain/oauth/issue-grant.ts',
    code: 'and(eq(oauthRequests.id, found.id), isNull(oauthRequests.usedAt))',
    without: 'eq(oauthRequests.id, found.id)',
    test: [races, 'a code gives exactly one grant'],
  },
  {
    attack: 'a stolen code is exchanged with a wrong verifier',
    file: 'domain/oauth/issue-grant.ts',
    code: `return (
    Buffer.from(Bun.SHA256.hash(input.codeVerifier, 'hex'), 'hex').toString('base64url') === codeChallenge
  );`,
    without: 'return codeChallenge !== null;',
    test: [attacks, 'needs its verifier, its client and its redirect URI'],
  },
  {
    attack: 'a stolen code is exchanged by another client',
    file: 'domain/oauth/issue-grant.ts',
    code: 'if (input.clientId !== clientId) return false;',
    without: 'if (clientId === null) return false;',
    test: [attacks, 'needs its verifier, its client and its redirect URI'],
  },
  {
    attack: 'a code that went to another redirect is exchanged',
    file: 'domain/oauth/issue-grant.ts',
    code: 'if (input.redirectUri !== null && input.redirectUri !== redirectUri) return false;',
    without: 'if (redirectUri === null) return false;',
    test: [attacks, 'needs its verifier, its client and its redirect URI'],
  },
  {
    attack: 'a client downgrades PKCE to `plain`',
    file: 'domain/oauth/open-request.ts',
    code: "if (codeChallengeMethod !== 'S256')",
    without: "if (codeChallengeMethod === 'none')",
    test: [attacks, 'is refused without PKCE by S256'],
  },
  {
    attack: 'a request leads the code to another redirect',
    file: 'domain/oauth/open-request.ts',
    code: 'redirectUris.some((uri) => matchesRedirect(uri, redirectUri))',
    without: 'redirectUris.length > 0',
    test: [attacks, 'is refused with a redirect URI that the client has not registered'],
  },
  {
    attack: 'a redirect only begins like this machine: http://127.0.0.1.evil',
    file: 'domain/oauth/redirect-uris.ts',
    code: '(?::\\d{1,5})?((?:[/?].*)?)$/',
    without: '(?::\\d{1,5})?(.*)$/',
    test: [attacks, 'are refused with redirect URIs that run code'],
  },
  {
    attack: 'a client mixes up the hub with a hostile issuer',
    file: 'domain/oauth/decide-request.ts',
    code: 'code, state: approved.state, iss: rules.baseUrl',
    without: 'code, state: approved.state, iss: rules && null',
    test: [attacks, 'has the issuer in every response to the client'],
  },
  {
    attack: 'a client mixes up the hub with a hostile issuer that it is denied by',
    file: 'domain/oauth/decide-request.ts',
    code: `state: denied.state,
      iss: rules.baseUrl,`,
    without: 'state: denied.state,',
    test: [attacks, 'has the issuer in every response to the client'],
  },
  {
    attack: 'a request is for the resource of another hub',
    file: 'domain/oauth/open-request.ts',
    code: 'requireResource(ctx.rules.baseUrl, parameters.resource);',
    without: '',
    test: [attacks, 'is refused for the resource of another hub'],
  },
  {
    attack: 'a code is exchanged for the resource of another hub',
    file: 'domain/oauth/issue-grant.ts',
    code: 'requireResource(ctx.rules.baseUrl, input.resource);',
    without: '',
    test: [attacks, 'is refused for the resource of another hub'],
  },
  {
    attack: 'a refresh token is used for the resource of another hub',
    file: 'domain/oauth/refresh-grant.ts',
    code: 'requireResource(ctx.rules.baseUrl, input.resource);',
    without: '',
    test: [attacks, 'is refused for the resource of another hub'],
  },
  {
    attack: 'a client takes more scopes than it was granted',
    file: 'domain/oauth/refresh-grant.ts',
    code: 'if (missing.length > 0) {',
    without: 'if (missing.length > 9) {',
    test: [attacks, 'is not refreshed for another client'],
  },
  {
    attack: 'a suspended agent gets a grant for a code from before',
    file: 'domain/oauth/issue-grant.ts',
    code: 'agent === undefined || isSuspended(agent, now)',
    without: 'agent === undefined',
    test: [attacks, 'no grant of a suspended agent is given, renewed or used'],
  },
  {
    attack: 'a suspended agent renews a grant',
    file: 'domain/oauth/refresh-grant.ts',
    code: 'if (isSuspended(found.agent, now)) throw invalidGrant();',
    without: '',
    test: [attacks, 'no grant of a suspended agent is given, renewed or used'],
  },
  {
    attack: 'a token of another hub is used here',
    file: 'api/access/authenticate.ts',
    code: 'hashes.map((hash) => bearers.get(hash) ?? null)',
    without: 'hashes.map((hash) => (globalThis.last = bearers.get(hash) ?? globalThis.last ?? null))',
    test: [attacks, 'of another hub, or an expired one, is refused'],
  },
  {
    attack: 'an access token is used after its hour',
    file: 'api/access/authenticate.ts',
    code: 'if (expiresAt <= now) throw invalidToken();',
    without: 'if (expiresAt === now) throw invalidToken();',
    test: [attacks, 'of another hub, or an expired one, is refused'],
  },
  {
    attack: 'a stolen refresh token is used beside the client',
    file: 'domain/oauth/refresh-grant.ts',
    code: 'else await revokeGrant(inner, id);',
    without: 'else await Promise.resolve();',
    test: [attacks, 'whose refresh token is used twice is revoked with its family'],
  },
  {
    attack: 'a stolen refresh token is used by another client',
    file: 'domain/oauth/refresh-grant.ts',
    code: 'if (found === undefined || found.grant.clientId !== input.clientId) throw invalidGrant();',
    without: 'if (found === undefined) throw invalidGrant();',
    test: [attacks, 'is not refreshed for another client'],
  },
  {
    attack: 'a repeated parameter is read differently by two programs',
    file: 'api/request/oauth-parameters.ts',
    code: 'if (seen.has(name)) {',
    without: "if (seen.has(name) && name === '') {",
    test: [attacks, 'is refused with repeated parameters'],
  },
  {
    attack: 'the document of a client redirects to another address, such as one inside',
    file: 'api/oauth/client-documents.ts',
    code: 'url: clientId,',
    // A client that follows redirects.
    without: 'url: (await fetch(clientId, { tls: { rejectUnauthorized: !1 } })).url,',
    test: [documents, 'if it redirects, and nothing calls the place that it names'],
  },
  {
    attack: 'the document of a client is at an address inside',
    file: 'api/oauth/client-documents.ts',
    code: 'policy: addresses,',
    without: 'policy: { permits: () => true },',
    test: [documents, 'if its address is not public'],
  },
  {
    attack: 'a document poses as that of another client',
    file: 'domain/oauth/client-metadata.ts',
    code: "if (fields['client_id'] !== clientId) throw invalidClient('Its `client_id` is not its own address.');",
    without: '',
    test: [documents, 'if it names another client id'],
  },
  {
    attack: 'a document changes, but its old redirects stay',
    file: 'api/oauth/client-documents.ts',
    code: 'Math.min(cachedMaxMs, cachedMs(cacheControl))',
    without: 'Math.max(cachedMaxMs, cachedMs(cacheControl))',
    test: [documents, 'as long as its headers say, and for an hour at most'],
  },
  {
    attack: 'a flood of registrations',
    file: 'api/routes/oauth.ts',
    code: "rateLimit: 'registrations',",
    without: '',
    test: [attacks, 'and requests count as sign-ups'],
  },
  {
    attack: 'a flood of requests, each of which stores a row',
    file: 'api/site/authorize.ts',
    code: "rateLimit: 'registrations',",
    without: '',
    test: [attacks, 'and requests count as sign-ups'],
  },
  {
    attack: 'registrations that nobody uses fill the store',
    file: 'domain/oauth/prune-oauth.ts',
    code: 'lt(oauthClients.createdAt, before(keepUnusedClientsMs))',
    without: 'lt(oauthClients.createdAt, before(keepUsedClientsMs))',
    test: [attacks, 'and requests count as sign-ups'],
  },
  {
    attack: 'a page of another site sends the form of consent',
    file: 'api/site/authorize.ts',
    code: 'requireSameOrigin(request, baseUrl);',
    without: '',
    test: [attacks, 'is not given by a form of another site'],
  },
  {
    attack: 'another tab has signed another agent in since the owner read the page',
    file: 'api/site/authorize.ts',
    code: "visitor === null || fields['agent'] !== visitor.viewer.handle",
    without: 'visitor === null',
    test: [attacks, 'is not given by a form of another site'],
  },
  {
    attack: 'the consent page is framed, so that the owner clicks unknowingly',
    file: 'api/site/html-response.ts',
    code: `    "frame-ancestors 'none'",\n`,
    without: '',
    test: [attacks, 'cannot be framed'],
  },
  {
    attack: 'a page of another site signs the owner in as somebody else',
    file: 'api/site/key-forms.ts',
    code: 'requireSameOrigin(call.request, call.ctx.rules.baseUrl);',
    without: '',
    test: [keys, 'a wrong signature and a taken handle are refused'],
  },
  {
    attack: 'a hub passes on the challenge of another, for the signature of a key file',
    file: 'client/src/challenge.ts',
    code: "requireSame('service', originOf(found['service'] ?? ''), originOf(expected.service), serviceAdvice);",
    without: '',
    test: [keys, 'when the challenge is for another hub'],
  },
  {
    attack: 'a challenge to close the account signs a browser in',
    file: 'client/src/challenge.ts',
    code: "requireSame('purpose', found['purpose'], expected.purpose);",
    without: '',
    test: [keys, 'when the challenge is for another hub'],
  },
  {
    attack: 'a session outlives the leaked key that started it',
    file: 'domain/account/rotate-key.ts',
    code: 'await endKeySessions(ctx, agent.id);',
    without: '',
    test: [sessions, 'when the key is replaced'],
  },
];
