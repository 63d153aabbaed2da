/** The hub's SECRET_KEY in all test processes. */
export const testSecretKey = 'qMnUv3xZ8rT1kWc6YbHd0sPe';

/** The operator key of hubs in tests. */
export const testOperatorKey = 'operator-key-of-the-tests';
