package mcp

// What tests see of the inside.

const Undo = undo
const MostMessage = mostMessage
