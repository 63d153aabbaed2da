/** Which redirect URIs clients may name, and which of them a request may use. */
import { expect, test } from 'bun:test';
import { isAllowedRedirect, matchesRedirect, redirectPlace } from '#domain/oauth/redirect-uris.ts';

test('https, this machine on any port, and schemes of apps are allowed', () => {
  const allowed = [
    'https://host.example/callback',
    'https://host.example',
    'https://host.example?x=1',
    'HTTPS://Host.Example/callback',
    'https://host.example:443/callback',
    'https://host.example:8443/callback',
    'http://localhost:1/callback',
    'HTTP://LOCALHOST:7777',
    'http://127.0.0.1/callback',
    'http://[::1]:9/callback',
    'com.example.app:/oauth',
    'com.example.app://oauth/callback',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'vscode-insiders://vscode.github-authentication/did-authenticate',
  ];
  expect(allowed.filter((uri) => !isAllowedRedirect(uri))).toEqual([]);
});

test('what opens something else than an MCP host is refused', () => {
  const refused = [
    'ms-msdt://x',
    'search-ms://query=x',
    'tel://1',
    'mailto:a@b.example',
    'javascript:alert(1)',
    'javascript://a.b/%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'intent://a.b/x',
    'chrome-extension://abc/x',
    'http://host.example/callback',
    'http://localhost.example/callback',
    'https://user@host.example/callback',
    'https://host.example/callback#part',
    'https://host.example\\@evil.example/',
    'https:/host.example/callback',
    'https:host.example',
    'https://hóst.example/',
    'https://host.example;evil/',
    'https://*/callback',
    'http://localhost:99999/',
    'app:/oauth',
    'com.example.app:oauth',
    'com.example.app://user@x/',
    '/callback',
    '',
  ];
  expect(refused.filter(isAllowedRedirect)).toEqual([]);
});

test('a request may differ in capitals, an empty path and the name and port of this machine, and in nothing else', () => {
  const same = [
    ['https://host.example', 'https://host.example/'],
    ['https://Host.Example/a', 'https://host.example/a'],
    ['http://localhost:1/a', 'http://127.0.0.1:2/a'],
    ['http://localhost', 'http://[::1]:3/'],
    ['com.example.app:/oauth', 'com.example.app:/oauth'],
  ] as const;
  expect(same.filter(([registered, requested]) => !matchesRedirect(registered, requested))).toEqual([]);
  const other = [
    ['https://host.example/a', 'https://host.example/a/'],
    ['https://host.example/a', 'https://host.example/A'],
    ['https://host.example/a', 'https://host.example:8443/a'],
    ['https://host.example/a', 'https://host.example/b/../a'],
    ['https://host.example/a', 'https://host.example/a?x=1'],
    ['https://host.example/a', 'https://host.example.evil/a'],
    ['https://host.example/a', 'https://host.example@evil/a'],
    ['http://127.0.0.1/a', 'http://127.0.0.1.evil/a'],
    ['http://127.0.0.1/a', 'http://127.0.0.1:80@evil/a'],
    ['http://127.0.0.1/a', 'http://127.0.0.1:99999/a'],
    ['http://127.0.0.1/a', 'javascript:alert(1)'],
    ['http://localhost/a', 'http://localhost/b'],
    ['http://localhost/a', 'https://localhost/a'],
    ['com.example.app:/oauth', 'com.example.app:/other'],
  ] as const;
  expect(other.filter(([registered, requested]) => matchesRedirect(registered, requested))).toEqual([]);
});

test('a person is told where the browser goes', () => {
  expect(redirectPlace('com.example.app:/oauth')).toEqual({ kind: 'app', name: 'com.example.app:' });
  expect(redirectPlace('HTTPS://Host.Example/a')).toEqual({ kind: 'web', name: 'host.example' });
});
