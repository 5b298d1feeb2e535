import { configure } from '@testing-library/react';

// Generous for a slow machine; a missing element still fails.
configure({ asyncUtilTimeout: 15_000 });
