/** The package has no types. */
declare module '@digitalbazaar/eddsa-jcs-2022-cryptosuite' {
  interface Cryptosuite {
    createVerifier(input: { readonly verificationMethod: object }): Promise<{
      verify(input: { readonly data: Uint8Array; readonly signature: Uint8Array }): Promise<boolean>;
    }>;
    createVerifyData(input: {
      readonly cryptosuite: Cryptosuite;
      readonly document: object;
      readonly proof: object;
    }): Promise<Uint8Array>;
  }
  export function createVerifyCryptosuite(): Cryptosuite;
}
