/** SECRET_KEY of the servers and databases of the tests. */
export const testSecret = 'test-secret-test-secret-test-secret!';
