/** A second implementation of `eddsa-jcs-2022`, from the registry. */
import { createVerifyCryptosuite } from '@digitalbazaar/eddsa-jcs-2022-cryptosuite';
import { fromMultibase, type Json } from '#domain/credentials/data-integrity.ts';

/** A verification method of the issuer's document. */
interface Method {
  readonly id: string;
  readonly controller: string;
  readonly publicKeyMultibase: string;
}

/** Whether the proof of a document was made with the key of this method. */
export async function isProvenBySecond(secured: Json, method: Method): Promise<boolean> {
  const { proof, ...document } = secured as { proof: Json };
  const cryptosuite = createVerifyCryptosuite();
  const verifier = await cryptosuite.createVerifier({
    verificationMethod: { '@context': 'https://w3id.org/security/multikey/v1', type: 'Multikey', ...method },
  });
  const data = await cryptosuite.createVerifyData({ cryptosuite, document, proof });
  const signature = fromMultibase(String(proof['proofValue']))!;
  return verifier.verify({ data, signature });
}
