const severalForm = /^([a-z]+:\/\/(?:[^/?#]*@)?)([^@/?#]*,[^@/?#]*)([/?#].*)?$/;

/**
 * Splits a URL with several hosts, such as `postgres://user@one:5432,two:5432/hub`, which `URL` cannot parse, into one
 * URL per host.
 */
export function hostUrlsOf(url: string): readonly string[] {
  const [, before = '', hosts, after = ''] = severalForm.exec(url) ?? [];
  return hosts === undefined ? [url] : hosts.split(',').map((host) => `${before}${host}${after}`);
}
