/** The hub's SECRET_KEY in tests, the same in every process. */
export const testSecretKey = 'qMnUv3xZ8rT1kWc6YbHd0sPe';
