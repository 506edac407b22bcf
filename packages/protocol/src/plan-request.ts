/** What the planner is shown of a workspace (spec page 70): bounded, and the same for the same state, byte for byte. */
export interface PlanRequest {
  userInput: string;
  context: { workspacePath: string };
  existingTasks: {
    id: string;
    title: string;
    status: string;
    dependencies: string[];
    phaseName: string;
    milestone: string;
    wbsLevel: number;
    parentId: string;
  }[];
  existingWbs: {
    rootNodeId: string;
    nodeIndex: { nodeId: string; parentId: string | null; children: string[] }[];
  };
  conversationHistory: { role: string; content: string }[];
  answers: { question: string; answer: string }[];
  /** Set when an earlier answer was refused: the reason, so that the planner can mend it. */
  refusal: string | null;
}
