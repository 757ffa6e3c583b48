// Runs onnxruntime for the benchmark program: one JSON request per line on standard input, one JSON answer per line on
// standard output. It measures with its own clock, so that process boundaries cost nothing.
//   {"load": NAME, "model": FILE, "threads": N, "exact": BOOL, "feeds": {INPUT: {"type": T, "dims": [..], "file": FILE}}}
//   {"run": NAME, "iterations": N}          -> {"nanoseconds": total}
//   {"output": NAME, "file": FILE}          -> writes the raw bytes of the first output of one run
// "exact" asks for kernels that do not saturate (session.x64quantprecision=1).
'use strict';
const fs = require('fs');
const path = require('path');
const readline = require('readline');
const ort = require(path.join(process.argv[2], 'node_modules', 'onnxruntime-node'));

const arrays = {uint8: Uint8Array, int8: Int8Array, float32: Float32Array};
const sessions = new Map();

function readTensor({type, dims, file}) {
  const bytes = fs.readFileSync(file);
  const array = new arrays[type](bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
  return new ort.Tensor(type, array, dims);
}

async function answer(request) {
  if (request.load !== undefined) {
    const options = {intraOpNumThreads: request.threads, interOpNumThreads: 1, executionMode: 'sequential'};
    if (request.exact) options.extra = {session: {x64quantprecision: '1'}};
    const session = await ort.InferenceSession.create(request.model, options);
    const feeds = {};
    for (const [name, description] of Object.entries(request.feeds)) feeds[name] = readTensor(description);
    sessions.set(request.load, {session, feeds});
    return {version: ort.env.versions.node};
  }
  if (request.run !== undefined) {
    const {session, feeds} = sessions.get(request.run);
    const start = process.hrtime.bigint();
    for (let i = 0; i < request.iterations; ++i) await session.run(feeds);
    return {nanoseconds: Number(process.hrtime.bigint() - start)};
  }
  if (request.output !== undefined) {
    const {session, feeds} = sessions.get(request.output);
    const results = await session.run(feeds);
    const data = results[session.outputNames[0]].data;
    fs.writeFileSync(request.file, Buffer.from(data.buffer, data.byteOffset, data.byteLength));
    return {bytes: data.byteLength};
  }
  return {error: 'unknown request'};
}

(async () => {
  for await (const line of readline.createInterface({input: process.stdin})) {
    let result;
    try {
      result = await answer(JSON.parse(line));
    } catch (error) {
      result = {error: String(error)};
    }
    process.stdout.write(JSON.stringify(result) + '\n');
  }
})();
