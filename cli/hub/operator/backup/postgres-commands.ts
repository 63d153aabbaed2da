/** The commands of Postgres that copy and restore a hub's database, ready to be run. */

/** What a hub on Postgres is backed up with; the password is left out, as others see command lines. */
export function postgresBackupLines(url: string, file: string): readonly string[] {
  return [
    `pg_dump --format=custom --file=${quoted(file)} --dbname=${quoted(withoutPassword(url))}`,
    ...passwordLines(url),
    '# Keep SECRET_KEY as well, or DATA_DIR/secret-key where the hub has made one: without it no webhook can be signed.',
  ];
}

export function postgresRestoreLines(url: string, file: string): readonly string[] {
  return [
    `pg_restore --clean --if-exists --no-owner --single-transaction --dbname=${quoted(withoutPassword(url))} ${quoted(file)}`,
    ...passwordLines(url),
    '# Then start the hub with the SECRET_KEY, or the DATA_DIR/secret-key, of that time, and run: hub audit',
  ];
}

function passwordLines(url: string): readonly string[] {
  return new URL(url).password === ''
    ? []
    : ['# It asks for the password of DATABASE_URL; or set PGPASSWORD to it.'];
}

function withoutPassword(url: string): string {
  const named = new URL(url);
  named.password = '';
  return named.href;
}

function quoted(word: string): string {
  return /^[\w./:@=-]+$/.test(word) ? word : `'${word.replaceAll("'", `'\\''`)}'`;
}
