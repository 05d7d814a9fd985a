// Runs ONNX files in onnxruntime-web, for ort_test.go:
//
//   NODE_PATH=DIR/node_modules node run.cjs < cases.json > outputs.json
//
// A case is {"model": FILE, "batches": [{NAME: {"type", "dims", "data"}, …}, …]}; its output is {NAME: list of all
// numbers, batch by batch} of every output.
"use strict";
const fs = require("fs");
const ort = require("onnxruntime-web");

async function main() {
  ort.env.wasm.numThreads = 1;
  ort.env.logLevel = "error";
  const outputs = [];
  for (const { model, batches } of JSON.parse(fs.readFileSync(0, "utf8"))) {
    const session = await ort.InferenceSession.create(fs.readFileSync(model), { executionProviders: ["wasm"] });
    const lists = Object.fromEntries(session.outputNames.map((name) => [name, []]));
    for (const batch of batches) {
      const feeds = {};
      for (const [name, { type, dims, data }] of Object.entries(batch)) {
        const array = type === "bool" ? Uint8Array.from(data) : Float32Array.from(data);
        feeds[name] = new ort.Tensor(type, array, dims);
      }
      for (const [name, { data }] of Object.entries(await session.run(feeds))) {
        for (const p of data) lists[name].push(Number.isFinite(p) ? p : null);
      }
    }
    outputs.push(lists);
  }
  process.stdout.write(JSON.stringify({ version: ort.env.versions.web, outputs }));
}

main().catch((fault) => {
  console.error(String(fault));
  process.exit(1);
});
