/** The Postgres commands that back up and restore a hub's database. */
import { pooledUrlOf } from '#db/pool-mode.ts';
import { hostUrlsOf } from '#runtime/settings/host-urls.ts';

/** Leaves out the password, because other users can see command lines. */
export function postgresBackupLines(url: string, file: string): readonly string[] {
  return [
    `pg_dump --format=custom --file=${quoted(file)} --dbname=${quoted(withoutPassword(url))}`,
    ...passwordLines(url),
    '# Back up SECRET_KEY too, or DATA_DIR/secret-key if the hub generated it: without it webhooks cannot be signed.',
  ];
}

export function postgresRestoreLines(url: string, file: string): readonly string[] {
  return [
    `pg_restore --clean --if-exists --no-owner --single-transaction --dbname=${quoted(withoutPassword(url))} ${quoted(file)}`,
    ...passwordLines(url),
    '# Then run `hub audit`, and start the hub with the SECRET_KEY or DATA_DIR/secret-key from that time.',
  ];
}

function passwordLines(url: string): readonly string[] {
  const { password, search } = new URL(firstOf(url));
  return password === '' && parametersOf(search).every(isShown)
    ? []
    : ['# It asks for the password of DATABASE_URL, unless PGPASSWORD is set.'];
}

function parametersOf(search: string): readonly string[] {
  return search.slice(1).split('&');
}

/** Not `password` and `sslpassword`. */
function isShown(parameter: string): boolean {
  const [[name = ''] = []] = new URLSearchParams(parameter);
  return !name.endsWith('password');
}

/** The tools of Postgres know several hosts, but not the hub's own parameters. */
function withoutPassword(url: string): string {
  const hosts = hostUrlsOf(url).map((each) => new URL(pooledUrlOf(each).url));
  const [named] = hosts;
  if (named === undefined) return url;
  named.password = '';
  named.search = parametersOf(named.search).filter(isShown).join('&');
  const { protocol, host, href } = named;
  const path = href.indexOf('/', `${protocol}//`.length);
  return href.slice(0, path - host.length) + hosts.map((each) => each.host).join(',') + href.slice(path);
}

function firstOf(url: string): string {
  return hostUrlsOf(url)[0] ?? url;
}

function quoted(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
