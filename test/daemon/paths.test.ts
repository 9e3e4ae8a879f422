import assert from 'node:assert/strict';
import { test } from 'node:test';
import {
	daemonFiles,
	dataDir,
	type Machine,
	pipePath,
	socketName,
} from '../../server/daemon/paths.ts';
import { compareVersions } from '../../server/daemon/versions.ts';

const linux: Machine = { platform: 'linux', env: {}, home: '/home/ann', tmp: '/tmp', uid: 1000 };
const mac: Machine = { platform: 'darwin', env: {}, home: '/Users/ann', tmp: '/tmp', uid: 501 };
const windows: Machine = {
	platform: 'win32',
	env: { LOCALAPPDATA: 'C:\\Users\\ann\\AppData\\Local' },
	home: 'C:\\Users\\ann',
	tmp: 'C:\\Temp',
};

test('the data folder is where each system keeps such things', () => {
	assert.equal(dataDir(linux), '/home/ann/.local/share/nearglot');
	assert.equal(dataDir({ ...linux, env: { XDG_DATA_HOME: '/data' } }), '/data/nearglot');
	assert.equal(
		dataDir({ ...linux, env: { XDG_DATA_HOME: 'relative' } }),
		'/home/ann/.local/share/nearglot',
	);
	assert.equal(dataDir(mac), '/Users/ann/Library/Application Support/Nearglot');
	assert.equal(dataDir(windows), 'C:\\Users\\ann\\AppData\\Local\\Nearglot');
	for (const local of [undefined, '', 'Local', '\\x', '/x'])
		assert.equal(
			dataDir({ ...windows, env: { LOCALAPPDATA: local } }),
			'C:\\Users\\ann\\AppData\\Local\\Nearglot',
		);
	assert.equal(dataDir({ ...mac, env: { NEARGLOT_HOME: '/elsewhere' } }), '/elsewhere');
});

test('a folder that depends on where a command is run is refused, with what to set', () => {
	const refused = (machine: Machine, message: RegExp) =>
		assert.throws(() => dataDir(machine), { code: 'invalid_request', message });
	refused({ ...linux, env: { NEARGLOT_HOME: 'data' } }, /whole path, not 'data': for example \//);
	for (const home of ['..\\data', '\\nearglot', '/nearglot', 'C:nearglot'])
		refused({ ...windows, env: { NEARGLOT_HOME: home } }, /whole path/);
	for (const home of ['C:\\data.', 'C:\\data ', 'C:\\nul', 'D:/Com1.x/data'])
		refused({ ...windows, env: { NEARGLOT_HOME: home } }, /no folder named/);
	for (const home of ['D:\\data', '\\\\server\\share\\data', '\\\\?\\D:\\data'])
		assert.equal(dataDir({ ...windows, env: { NEARGLOT_HOME: home } }), home);
	for (const home of ['', '.'])
		for (const system of [linux, mac]) refused({ ...system, home }, /HOME is '.?'.*NEARGLOT_HOME/);
	assert.equal(dataDir({ ...linux, home: '', env: { XDG_DATA_HOME: '/data' } }), '/data/nearglot');
});

test('the pipe is a named pipe on Windows and a socket beside the data elsewhere', () => {
	assert.match(pipePath(windows, 'C:\\data') ?? '', /^\\\\\.\\pipe\\nearglot-[0-9a-f]{32}$/);
	assert.notEqual(
		pipePath(windows, 'C:\\data'),
		pipePath(windows, 'C:\\data'),
		'nobody who knows the folder can take the name first',
	);
	assert.equal(
		pipePath(linux, '/home/ann/.local/share/nearglot'),
		'/home/ann/.local/share/nearglot/daemon.sock',
	);
});

test('a socket path that would be too long for the system is not given', () => {
	assert.equal(pipePath(linux, `/home/${'x'.repeat(120)}`), undefined);
	assert.match(socketName('/home/ann'), /^[0-9a-f]{16}\.sock$/);
});

test('files use the separator of the system', () => {
	assert.equal(daemonFiles(windows, 'C:\\data').endpoint, 'C:\\data\\endpoint.json');
	assert.equal(daemonFiles(linux, '/data').lock, '/data/daemon.lock');
});

test('versions are ordered by their numbers, and a pre-release comes before its release', () => {
	const ordered = ['garbage', '0.0.0-dev', '0.1.0', '0.2.0-beta', '0.2.0', '0.10.0', '1.0.0'];
	for (const [index, version] of ordered.entries())
		for (const [other, against] of ordered.entries())
			assert.equal(
				Math.sign(compareVersions(version, against)),
				Math.sign(index - other),
				`${version} against ${against}`,
			);
});
