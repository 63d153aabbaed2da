/** `hub credentials`: rotates the key of the hub's credentials. */
import { rotateIssuerKey } from '#domain/credentials/issuer.ts';
import { hubRulesOf } from '#domain/hub-rules.ts';
import { loadSecretKey } from '#runtime/settings/load-secret-key.ts';
import { commandTable, operatorCommand } from '../operator-command.ts';

export const addCommands = commandTable(
  'credentials',
  'Rotate the key that signs the credentials of the hub',
  [
    operatorCommand({
      name: 'rotate-key',
      about: 'Sign new credentials with a new key; former keys stay in the document',
      examples: [''],
      run: async (ctx, _given, { settings }) => {
        const rules = hubRulesOf(settings, { secretKey: await loadSecretKey(settings) });
        const key = await rotateIssuerKey({ ...ctx, rules });
        return [{ key }, [`New credentials are signed with ${key}.`]];
      },
    }),
  ],
);
