import { expect, test } from 'vitest';
import {
  cover,
  hasFakedParts,
  onlyFaked,
  parseRequirements,
  provenInTests,
  routesWithoutScreen,
} from './requirements.ts';

// Built from parts, so that this file does not contain IDs itself.
const at = (id: string) => `@${id}`;

test('provenInTests: returns the IDs in titles of tests that run', () => {
  const source = `
    test('a list ${at('LIST-1')} ${at('LIST-2')}', () => {});
    test.each([['(', 1]])("each ${at('LIST-3')}", () => {});
    it.for<string>(['a'])(\`for ${at('LIST-4')}\`, () => {});
    test(
      'on its own line ${at('LIST-5')}',
      () => {},
    );
    describe('a group ${at('LIST-6')}', () => {});
    staffTest('with a fixture ${at('LIST-7')}', async () => {});`;
  expect([...provenInTests(source)]).toEqual(['LIST-1', 'LIST-2', 'LIST-3', 'LIST-4', 'LIST-5', 'LIST-6', 'LIST-7']);
});

test('provenInTests: ignores skipped tests, comments and other strings', () => {
  const source = `
    test.skip('skipped ${at('LIST-1')}', () => {});
    test.todo('to do ${at('LIST-2')}');
    test.skip.each([1])('each ${at('LIST-3')}', () => {});
    test('fixme inside ${at('LIST-4')}', () => { test.fixme(); });
    // test('commented out ${at('LIST-5')}', () => {});
    const text = 'mail ${at('LIST-6')}';
    log('text ${at('LIST-7')}');
    test('real ${at('LIST-8')}', ({ skip }) => skip(reason));`;
  expect([...provenInTests(source)]).toEqual(['LIST-8']);
});

test('provenInTests: throws when a file with IDs skips a group', () => {
  expect(() => provenInTests(`describe.skip('g', () => { test('a ${at('LIST-1')}', () => {}); });`)).toThrow('groups');
});

test('cover: a heading is proven only when all rows under it are', () => {
  const rows = parseRequirements('A-1\tHeading\nA-2\tone\tA-1\nA-3\ttwo\tA-1\nB-1\tplain\n');
  const proven = (proofs: [string, string[]][]) =>
    cover(rows, new Map(proofs)).flatMap(({ id, provenBy }) => (provenBy.length > 0 ? [id] : []));
  expect(proven([['A-2', ['a']]])).toEqual(['A-2']);
  expect(proven([['A-1', ['a']]])).toEqual([]);
  expect(
    proven([
      ['A-2', ['a']],
      ['A-3', ['b']],
      ['B-1', ['c']],
    ]),
  ).toEqual(['A-1', 'A-2', 'A-3', 'B-1']);
});

test.each([
  ['web/src/list/list.test.tsx', `import { fakeServer } from '../testing/server.ts';`, true],
  ['web/src/ui/Page.test.tsx', `import { renderScreen } from '../testing/render.tsx';`, true],
  [
    'web/src/features/room/call/room-session.test.ts',
    `import { FakePeerConnection } from './fake-peer-connection.ts';`,
    true,
  ],
  ['web/src/api/idle.test.ts', `vi.stubGlobal('fetch', async () => undefined);`, true],
  ['web/src/features/schedule/month.test.ts', `import { monthWeeks } from './month.ts';`, false],
  ['server/src/features/room/room.test.ts', `import { connectHub } from '../../../test/hub-client.ts';`, false],
  ['e2e/shell.e2e.ts', `import { test } from './support/story.ts';`, false],
])('hasFakedParts: %s with %s: %s', (file, source, expected) => {
  expect(hasFakedParts(file, source)).toBe(expected);
});

test('onlyFaked: returns IDs that are only on tests with faked parts', () => {
  const proofs = new Map([
    ['A-1', ['web/a.test.tsx']],
    ['A-2', ['web/a.test.tsx', 'e2e/a.e2e.ts']],
  ]);
  expect(onlyFaked(proofs, (file) => file.startsWith('web/'))).toEqual([{ id: 'A-1', files: ['web/a.test.tsx'] }]);
});

test('routesWithoutScreen: returns routes whose pattern the route table does not use', () => {
  const paths = `export const patterns = {
  link: '/link',
  linkCode: '/link/:code',
  signup: '/signup',
};`;
  const routes = `[{ path: patterns.link }, ...[patterns.linkCode].map((path) => ({ path }))]`;
  expect(routesWithoutScreen(['/link', '/link/:code', '/signup', '/photo'], paths, routes)).toEqual([
    '/signup',
    '/photo',
  ]);
});
