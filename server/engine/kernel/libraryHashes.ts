/** SHA-256 of the libraries in `libraries/`, by platform. Written by scripts/kernel.mjs. */
export const libraryHashes: Readonly<Record<string, string>> = {
	'linux-x64': '231dae0e07e033dda9bcceb5e741f5006cfd0a9b1b7104c48f9c4470334f40ed',
	'linux-arm64': '0405735f30c9404d891a8cdfc1b73a21a0631a6b81f85be87e1bc43f340f45d2',
	'win32-x64': '471e189cff09eafe39426c2f0076fc475348588e113966ef2210844b87ba96b1',
	'win32-arm64': '3e5900dacbc2cc2a6e049b6e777e389db9f746a044f6447e6bc1bcf464716686',
	'darwin-x64': '0d75322778c6a22d3f1ae7401a6c4fbccfdae0c09cdcb89970df66762a31755c',
	'darwin-arm64': '012866201a96cc24612adf7413eaa2a2680c61a2d07300e2c011a59c7837e741',
};
