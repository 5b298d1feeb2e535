import { deletePatient, listPatients, type PatientRow } from '@roomside/contract/patients/calls.ts';
import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { beforeEach, expect, test } from 'vitest';
import { startSignIn } from '../api/sign-in.ts';
import { renderScreen } from '../testing/render.tsx';
import { accessToken, fakeServer, problem } from '../testing/server.ts';
import type { Column } from './column.ts';
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
        empty={{ text: 'No patients found.', action: <a href="#/patient-edit/0">New Patient</a> }}
      />
    </>
  );
}

/** A server with this many patients; it counts only when the query has no total. */
function patients(count: number) {
  const names = Array.from({ length: count }, (_, index) => `P${index + 1}`);
  return fakeServer({
    'GET /api/patients': ({ query }) => {
      const skip = Number(query.skip);
      const page = names.slice(skip, skip + Number(query.top));
      return {
        data: page.map((firstName) => ({ patientId: Number(firstName.slice(1)), firstName, lastName: 'Smith' })),
        total: query.total ? null : names.length,
        first: `first-${skip}`,
        last: `last-${skip}`,
      };
    },
    'DELETE /api/patients/2': () => void names.splice(1, 1),
  });
}

const asked = (server: ReturnType<typeof patients>) => server.asked.map(({ query }) => query);
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
  expect(screen.getByRole('link', { name: 'New Patient' })).toBeDefined();
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
