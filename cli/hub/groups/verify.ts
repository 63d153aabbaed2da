/** `hub verify`: checks a credential without any hub. */
import { readFileSync } from 'node:fs';
import { CredentialError, verifyCredential } from '#client/verify-credential.ts';
import { StartError } from '#runtime/process/start-error.ts';
import { type CommandGroup, endWith } from '../command-line.ts';

const verifyHelp = `
FILE holds the credential, or the response that has it as \`credential\`. A did:web issuer needs its document, from
https://HOST/.well-known/did.json. With the status list that the credential names, a revocation is found too. Nothing is
fetched. Exits with 1 if the credential is not genuine or no longer valid.

Examples:
  hub verify credential.json --document did.json
  hub verify credential.json --document did.json --status list.json`;

export const addCommands: CommandGroup = (program, line) => {
  program
    .command('verify <file>')
    .description('Verify a credential of any hub')
    .option('--document <file>', 'DID document of the issuer')
    .option('--status <file>', 'Status list of the issuer')
    .addHelpText('after', verifyHelp)
    .action(async (file: string, { document, status }: { document?: string; status?: string }) => {
      const read = readJson(file);
      const credential = 'credential' in read ? (read.credential as object) : read;
      try {
        const { issuer } = await verifyCredential(
          credential,
          document === undefined ? undefined : readJson(document),
          status === undefined ? {} : { statusList: readJson(status) },
        );
        const reasons = status === undefined ? ['Whether it was revoked was not checked.'] : [];
        const lines = [`Verified: issued by ${issuer}.`, ...reasons];
        line.output().result({ verified: true, issuer, reasons }, lines);
      } catch (error) {
        if (!(error instanceof CredentialError)) throw error;
        const { message } = error;
        line
          .output()
          .result({ verified: false, issuer: null, reasons: [message] }, [`Not verified. ${message}`]);
        endWith(false);
      }
    });
};

/** @throws StartError if the file cannot be read */
function readJson(file: string): object {
  try {
    const value: unknown = JSON.parse(readFileSync(file, 'utf8'));
    if (typeof value === 'object' && value !== null) return value;
  } catch (cause) {
    throw new StartError(`${file} cannot be read as JSON.`, { cause });
  }
  throw new StartError(`${file} is not a JSON object.`);
}
