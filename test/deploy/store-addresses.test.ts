/** The example Secret suggests addresses of replicated and pooled stores. */
import { expect, test } from 'bun:test';
import { parseSettings } from '#runtime/settings/settings.ts';
import { fillPlaceholders, readDeployFile } from './files/read-deploy-file.ts';

test('every address that the example Secret suggests is valid', () => {
  const secret = readDeployFile('kubernetes/secret.example.yaml');
  const suggested = Array.from(
    secret.matchAll(/^ +# .*: ((?:postgres|redis)\S*:\/\/\S+)$/gm),
    ([, url = '']) => url,
  );
  expect(suggested).toHaveLength(4);
  for (const url of suggested.map(fillPlaceholders)) {
    const settings = parseSettings(url.startsWith('redis') ? { REDIS_URL: url } : { DATABASE_URL: url });
    expect(url.startsWith('redis') ? settings.redisUrl : settings.database).toEqual(
      url.startsWith('redis') ? url : { kind: 'postgres', url },
    );
  }
});
