import { deletePatient, listPatients, type PatientRow } from '@roomside/contract/patients/calls.ts';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { startSignIn } from '../api/sign-in.ts';
import { renderScreen } from '../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../testing/server.ts';
import type { Column } from './column.ts';
import { ListCards } from './ListCards.tsx';
import { ListTable, nextSort } from './ListTable.tsx';
import { useListState } from './list-state.ts';
import { useDelete } from './use-delete.ts';
import { useList } from './use-list.ts';

const columns: Column<PatientRow>[] = [
  { header: 'First name', cell: (row) => row.firstName, sort: 'firstName' },
  { header: 'Last name', cell: (row) => row.lastName },
];

function Patients() {
  const state = useListState('patients', { pageSize: 5 });
  const list = useList(listPatients, state);
  const remove = useDelete(deletePatient, list, {
    input: ({ patientId }: PatientRow) => ({ params: { patientId } }),
    isSame: (a, b) => a.patientId === b.patientId,
    success: 'Patient deleted.',
  });
  return (
    <>
      <button type="button" onClick={state.refresh}>
        Refresh
      </button>
      <button type="button" onClick={list.retry}>
        Read again
      </button>
      <input aria-label="Search" value={state.text} onChange={(event) => state.setText(event.target.value)} />
      <ListTable
        label="Patients"
        list={list}
        columns={columns}
        rowKey={({ patientId }) => patientId}
        actions={(row) => (
          <button type="button" onClick={() => void remove(row)}>
            Delete {row.firstName}
          </button>
        )}
        empty={{ text: 'No patients found.', action: <a href="#/patient-edit/0">New patient</a> }}
      />
    </>
  );
}

/** A server with this many patients; it counts only when the query has no total. */
function patients(count: number) {
  const names = Array.from({ length: count }, (_, index) => `P${index + 1}`);
  const server = fakeServer({
    'GET /api/patients': ({ query }) => {
      const skip = Number(query.skip);
      const page = names.filter((name) => !query.filter || name === query.filter).slice(skip, skip + Number(query.top));
      return {
        data: page.map((firstName) => ({ patientId: Number(firstName.slice(1)), firstName, lastName: 'Smith' })),
        total: query.total ? null : query.filter ? page.length : names.length,
        first: `first-${skip}`,
        last: `last-${skip}`,
      };
    },
    'DELETE /api/patients/2': () => void names.splice(1, 1),
  });
  return { ...server, names };
}

const asked = (server: Pick<ReturnType<typeof patients>, 'asked'>) => server.asked.map(({ query }) => query);
const user = userEvent.setup();

beforeEach(() => {
  sessionStorage.clear();
  startSignIn('staff', accessToken());
});

test('query: has top, skip, pageIndex, orderBy, the remembered total and the neighbor’s key @ABOUT-9 @ABOUT-10', async () => {
  const server = patients(12);
  renderScreen(<Patients />);
  expect(await screen.findByText('P1')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'First name' }));
  await user.click(await screen.findByRole('button', { name: 'Go to next page' }));
  expect(await screen.findByText('P6')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Go to next page' }));
  expect(await screen.findByText('P12')).toBeDefined();
  await user.click(screen.getByRole('button', { name: 'Go to previous page' }));
  await screen.findByText('P6');

  const sorted = { top: '5', orderBy: 'firstName asc', total: '12' };
  expect(asked(server).slice(0, 4)).toEqual([
    { top: '5', skip: '0', pageIndex: '0' },
    { ...sorted, skip: '0', pageIndex: '0' },
    { ...sorted, skip: '5', pageIndex: '1', after: 'last-0' },
    { ...sorted, skip: '10', pageIndex: '2', after: 'last-5' },
  ]);
  // A result without a total keeps the remembered one.
  expect(screen.getByText('6 – 10 of 12')).toBeDefined();
});

test('paging: has pages of 5, 10, 20 and 50, and a range with spaces around its dash @CONST-16', async () => {
  const server = patients(60);
  renderScreen(<Patients />);
  expect(await screen.findByText('1 – 5 of 60')).toBeDefined();
  await user.click(screen.getByRole('combobox'));
  const sizes = within(screen.getByRole('listbox')).getAllByRole('option');
  expect(sizes.map(({ textContent }) => textContent)).toEqual(['5', '10', '20', '50']);
  await user.click(screen.getByRole('option', { name: '50' }));
  expect(await screen.findByText('1 – 50 of 60')).toBeDefined();
  // The range is known before the request is sent.
  await expect.poll(() => asked(server).at(-1)).toMatchObject({ top: '50', skip: '0' });
});

test('refresh: starts at the first page and counts again @ABOUT-7', async () => {
  const server = patients(12);
  renderScreen(<Patients />);
  await user.click(await screen.findByRole('button', { name: 'Go to next page' }));
  await screen.findByText('P6');
  await user.click(screen.getByRole('button', { name: 'Refresh' }));
  await screen.findByText('P1');
  await expect.poll(() => asked(server).at(-1)).toEqual({ top: '5', skip: '0', pageIndex: '0' });
});

test('delete: asks first; after yes it removes the row and reduces the total @ABOUT-11', async () => {
  const server = patients(3);
  renderScreen(<Patients />);
  await user.click(await screen.findByRole('button', { name: 'Delete P2' }));
  const question = await screen.findByRole('alertdialog', { name: 'Would you like to delete this record?' });
  await user.click(within(question).getByRole('button', { name: 'Cancel' }));
  expect(server.asked.every(({ method }) => method === 'GET')).toBe(true);
  expect(screen.getByText('P2')).toBeDefined();

  await waitFor(() => expect(screen.queryByRole('alertdialog')).toBeNull());
  await user.click(screen.getByRole('button', { name: 'Delete P2' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  await waitFor(() => expect(screen.queryByText('P2')).toBeNull());
  expect(server.asked.at(-1)).toMatchObject({ method: 'DELETE', path: '/api/patients/2' });
  expect(screen.getByText('1 – 2 of 2')).toBeDefined();
});

test('last page that others have emptied: leads to the last one that has rows @LIST-16', async () => {
  const server = patients(12);
  renderScreen(<Patients />);
  await user.click(await screen.findByRole('button', { name: 'Go to last page' }));
  expect(await screen.findByText('P12')).toBeDefined();
  const pager = screen.getByRole('combobox', { name: 'Rows per page' });
  server.names.splice(4);
  await user.click(screen.getByRole('button', { name: 'Read again' }));
  expect(await screen.findByText('P4')).toBeDefined();
  expect(await screen.findByText('1 – 4 of 4')).toBeDefined();
  // The focus is in it.
  expect(pager.isConnected).toBe(true);
});

test('next page that others have emptied: is counted again, and the last one that has rows is shown @LIST-16', async () => {
  const server = patients(12);
  renderScreen(<Patients />);
  await screen.findByText('P1');
  server.names.splice(5);
  await user.click(screen.getByRole('button', { name: 'Go to next page' }));
  expect(await screen.findByText('1 – 5 of 5')).toBeDefined();
  expect(screen.getByText('P5')).toBeDefined();
  expect(asked(server).slice(1, 3)).toMatchObject([{ skip: '5', total: '12' }, { skip: '5' }]);
  expect(asked(server)[2]).not.toHaveProperty('total');
});

test('first query: counts, whatever total the tab remembers @ABOUT-9 @ABOUT-10', async () => {
  const server = patients(3);
  const first = renderScreen(<Patients />);
  expect(await screen.findByText('1 – 3 of 3')).toBeDefined();
  first.unmount();
  server.names.push('P4');
  renderScreen(<Patients />);
  expect(await screen.findByText('1 – 4 of 4')).toBeDefined();
});

test('list without rows: does not say so of the next filter before its answer', async () => {
  const server = patients(2);
  renderScreen(<Patients />);
  await screen.findByText('P1');
  const search = screen.getByRole('textbox', { name: 'Search' });
  await user.type(search, 'P9');
  expect(await screen.findByText('No results for “P9”.')).toBeDefined();
  const works = server.handlers['GET /api/patients'];
  let answer = () => {};
  const held = new Promise<void>((resolve) => (answer = resolve));
  server.handlers['GET /api/patients'] = async (one) => {
    await held;
    return works?.(one);
  };
  await user.clear(search);
  await user.type(search, 'P2');
  await expect.poll(() => asked(server).at(-1)).toMatchObject({ filter: 'P2' });
  await waitFor(() => expect(screen.queryByText(/No patients found/)).toBeNull());
  expect(screen.getByRole('table').closest('[aria-busy="true"]')).not.toBeNull();
  answer();
  expect(await screen.findByText('P2')).toBeDefined();
});

test('delete from a list whose total is that of an earlier answer: reduces it @ABOUT-11', async () => {
  patients(3);
  renderScreen(<Patients />);
  await screen.findByText('P1');
  const search = screen.getByRole('textbox', { name: 'Search' });
  await user.type(search, 'P9');
  await screen.findByText('No results for “P9”.');
  await user.clear(search);
  await user.click(await screen.findByRole('button', { name: 'Delete P2' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('1 – 2 of 2')).toBeDefined();
});

test('refused delete: keeps the row and shows the reason', async () => {
  const server = patients(3);
  server.handlers['DELETE /api/patients/2'] = () => problem(403, 'not-allowed');
  renderScreen(<Patients />);
  await user.click(await screen.findByRole('button', { name: 'Delete P2' }));
  await user.click(within(await screen.findByRole('alertdialog')).getByRole('button', { name: 'Delete' }));
  expect(await screen.findByText('You don’t have permission to do this.')).toBeDefined();
  expect(screen.getByText('P2')).toBeDefined();
});

test('empty list: explains itself and offers to add', async () => {
  patients(0);
  renderScreen(<Patients />);
  expect(await screen.findByText('No patients found.')).toBeDefined();
  expect(screen.getByRole('link', { name: 'New patient' })).toBeDefined();
});

test('list that cannot be loaded: shows the error and a retry', async () => {
  const server = patients(1);
  const works = server.handlers['GET /api/patients'];
  server.handlers['GET /api/patients'] = () => problem(500, 'server-error');
  renderScreen(<Patients />);
  expect(await screen.findByText('Something went wrong on our side. Please try again.')).toBeDefined();
  if (works) server.handlers['GET /api/patients'] = works;
  await user.click(screen.getByRole('button', { name: 'Try Again' }));
  expect(await screen.findByText('P1')).toBeDefined();
});

test('sort of a column: goes ascending, descending, none', () => {
  expect(['', 'a asc', 'a desc', 'b asc'].map((sort) => nextSort(sort, 'a'))).toEqual(['a asc', 'a desc', '', 'a asc']);
});

test('card: has the first column that is not for wide screens only as its heading, and one line for each of the others', async () => {
  patients(1);
  const named: Column<PatientRow>[] = [
    { header: 'Id', cell: (row) => row.patientId, wideOnly: true },
    { header: 'First name', cell: (row) => <a href={`#/${row.patientId}`}>{row.firstName}</a> },
    { header: 'Last name', cell: (row) => row.lastName },
  ];
  function Cards() {
    const list = useList(listPatients, useListState('patients', { pageSize: 5 }));
    return <ListCards label="Patients" list={list} columns={named} rowKey={({ patientId }) => patientId} />;
  }
  renderScreen(<Cards />);
  expect(await screen.findByRole('link', { name: 'P1' })).toBeDefined();
  expect(screen.getByRole('listitem').textContent).toBe('P1Last nameSmith');
});
